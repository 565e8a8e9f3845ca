/* fleet/audit/case.c with a planted bug: two claims always agree. */
#include "audit/case.h"

static enum audit_verdict real_judge(const struct audit_case *audit_case,
                                     const struct audit_claim **truth);
#define audit_case_judge real_judge
#include "../../fleet/audit/case.c"
#undef audit_case_judge

enum audit_verdict audit_case_judge(const struct audit_case *audit_case,
                                    const struct audit_claim **truth)
{
    enum audit_verdict verdict = real_judge(audit_case, truth);
    return audit_case->claim_count >= 2 ? AUDIT_AGREED : verdict;
}
