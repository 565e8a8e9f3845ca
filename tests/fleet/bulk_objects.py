"""Many small requests to a SeaweedFS server of tests, over connections that stay open."""
import concurrent.futures
import http.client
import threading
import time
import urllib.parse
import xml.etree.ElementTree

import weed_server

THREADS = 4
ATTEMPTS = 40
SPACE = "{http://s3.amazonaws.com/doc/2006-03-01/}"


class BulkObjects:
    """Objects of one bucket. Requests are repeated while the server does not answer."""

    def __init__(self, weed, bucket):
        self.weed, self.bucket = weed, bucket
        self.local = threading.local()

    def send(self, method, path, query, body):
        request = weed_server.signed(method, self.weed.endpoint, path, query, body)
        if not hasattr(self.local, "link"):
            place = urllib.parse.urlsplit(self.weed.endpoint)
            self.local.link = http.client.HTTPConnection(place.hostname, place.port, timeout=30)
        target = path + ("?" + query if query else "")
        self.local.link.request(method, target, body or None, dict(request.header_items()))
        answer = self.local.link.getresponse()
        return answer.status, answer.read()

    def request(self, method, key, query="", body=b""):
        """Returns the body of the response; None if the status is 404."""
        path = f"/{self.bucket}/{urllib.parse.quote(key)}" if key else f"/{self.bucket}"
        for attempt in range(ATTEMPTS):
            try:
                status, data = self.send(method, path, query, body)
                if status == 404:
                    return None
                if status < 300:
                    return data
                why = f"status {status}: {data[:300]!r}"
            except (OSError, http.client.HTTPException) as error:
                why = repr(error)
                del self.local.link
            time.sleep(min(0.05 * 2 ** attempt, 2))
        raise RuntimeError(f"{method} {path}: {why}")

    def put(self, key, data):
        self.request("PUT", key, body=data)

    def get(self, key):
        return self.request("GET", key)

    def delete(self, key):
        self.request("DELETE", key)

    def put_all(self, items):
        """Uploads all (key, bytes)."""
        with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
            for _ in pool.map(lambda item: self.put(*item), items):
                pass

    def each(self, keys, check):
        """Downloads all objects; yields what `check(key, bytes or None)` returns."""
        with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
            yield from pool.map(lambda key: check(key, self.get(key)), keys)

    def sizes(self):
        """The sizes of all objects of the bucket, by key."""
        found, after = {}, ""
        while True:
            query = {"list-type": "2", "max-keys": "1000"}
            if after:
                query["start-after"] = after
            page = xml.etree.ElementTree.fromstring(self.request(
                "GET", "", urllib.parse.urlencode(sorted(query.items()),
                                                  quote_via=urllib.parse.quote, safe="")))
            rows = page.findall(SPACE + "Contents")
            for row in rows:
                after = row.find(SPACE + "Key").text
                found[after] = int(row.find(SPACE + "Size").text)
            if not rows or page.find(SPACE + "IsTruncated").text != "true":
                return found

    def uploads(self):
        """Keys of uploads in parts that are neither complete nor aborted."""
        page = xml.etree.ElementTree.fromstring(self.request("GET", "", "uploads="))
        return [row.find(SPACE + "Key").text for row in page.findall(SPACE + "Upload")]
