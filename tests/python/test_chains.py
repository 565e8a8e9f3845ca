"""Chains, plans, masked arrays and exceptions."""
import ast
import inspect
import os
import pickle

import numpy as np
import pytest

import swathe


def test_chains_read_back():
    chain = swathe.gaussian(9) | swathe.mask([[0, 0.1, 0], [0.1, -0.4, 1 / 3]], border="wrap")
    assert swathe.Chain(repr(chain)) == chain
    assert len(chain) == 2 and len(swathe.Chain()) == 0
    assert pickle.loads(pickle.dumps(chain)) == chain
    assert hash(swathe.Chain("box:3")) == hash(swathe.box(3))
    assert repr("sharpen" | swathe.box(3)) == repr(swathe.sharpen() | "box:3") == "sharpen,box:3"


def test_every_filter_is_a_function():
    rows = swathe.filters()
    assert len(rows) > 20
    for row in rows:
        function = getattr(swathe, row["name"].replace("-", "_"))
        assert row["summary"] in function.__doc__
        assert row["name"].replace("-", "_") in dir(swathe)
    assert repr(swathe.sobel_x(type="s16")) == "sobel-x:type=s16"
    assert repr(swathe.gaussian(sigma=1.5)) == "gaussian:sigma=1.5"
    assert repr(swathe.gaussian(7, dense=True, border="constant(7)")) == \
        "gaussian:7:dense:border=constant(7)"


def test_functions_of_filters_have_signatures():
    shown = str(inspect.signature(swathe.gaussian))
    assert shown.startswith("(size=None, *, sigma=None, truncate=None, dense=False, border=None,")
    assert list(inspect.signature(swathe.mask).parameters)[:2] == ["matrices", "join"]
    assert repr(swathe.gaussian(size=9)) == repr(swathe.gaussian(9)) == "gaussian:9"
    assert repr(swathe.gradient(kind="scharr", flip=True)) == "gradient:scharr:flip"
    for call, says in [(lambda: swathe.gaussian(sigm=2), r"gaussian\(\) .*'sigm'"),
                       (lambda: swathe.sobel_x(3), r"sobel_x\(\) too many"),
                       (lambda: swathe.scale(), "'factor'")]:
        with pytest.raises(TypeError, match=says):
            call()


def stub_parameters(function, options):
    """Names and defaults of a function of a stub, with those of its TypedDict of options."""
    given = function.args
    values = [None] * (len(given.args) - len(given.defaults)) + given.defaults
    found = {"*" + given.vararg.arg: None} if given.vararg else {}
    for argument, value in zip(given.args + given.kwonlyargs, values + given.kw_defaults):
        found[argument.arg] = "required" if value is None else value.value
    return {**found, **options}


def test_the_stub_has_the_signatures():
    with open(os.path.join(os.path.dirname(swathe.__file__), "_filters.pyi")) as file:
        parts = {part.name: part for part in ast.parse(file.read()).body if hasattr(part, "name")}
    options = {part.target.id: False if ast.unparse(part.annotation) == "bool" else None
               for part in parts.pop("_Options").body}
    assert set(parts) == set(swathe._functions)
    for name, function in swathe._functions.items():
        parameters = inspect.signature(function).parameters.values()
        expected = {"*" * (each.kind == each.VAR_POSITIONAL) + each.name:
                    None if each.kind == each.VAR_POSITIONAL else "required"
                    if each.default is each.empty else each.default for each in parameters}
        assert list(stub_parameters(parts[name], options).items()) == list(expected.items()), name


def test_masks_keep_every_bit():
    taps = np.random.default_rng(3).normal(size=(5, 7))
    image = np.zeros((11, 15))
    image[5, 7] = 1
    result = swathe.apply(image, swathe.mask(taps))
    assert np.array_equal(result[3:8, 4:11], taps[::-1, ::-1])
    with pytest.raises(TypeError):
        swathe.mask(np.ones((3, 3), complex))
    with pytest.raises(ValueError):
        swathe.mask(np.ones((3, 3, 3)))


def test_plans(photo):
    plan = swathe.Plan("sharpen,gaussian:5", photo.shape, border="wrap")
    expected = swathe.apply(photo, "sharpen,gaussian:5", border="wrap")
    assert np.array_equal(plan(photo), expected)
    again = pickle.loads(pickle.dumps(plan))
    assert np.array_equal(again(photo), expected) and repr(again) == repr(plan)
    assert "gaussian:5" in plan.explain() and plan.explain(json=True).startswith("{")
    with pytest.raises(ValueError, match="plan is for"):
        plan(photo[1:])
    with pytest.raises(ValueError, match="plan is for"):
        plan(photo.astype(np.uint16))


def test_types_and_options(photo):
    assert swathe.apply(photo, "sobel-x", dtype=np.int16).min() < 0
    assert swathe.apply(photo, "sobel-x", dtype="f4", threads=1).dtype == np.float32
    valid = swathe.apply(photo, "box:3", border="valid")
    assert np.array_equal(valid, swathe.apply(photo, "box:3")[1:-1, 1:-1])
    rgba = np.dstack([photo, np.full(photo.shape[:2], 255, np.uint8)])
    weighted = swathe.apply(rgba, "gaussian:5", alpha="premultiply")
    assert np.array_equal(weighted[..., 3], rgba[..., 3])
    with pytest.raises(TypeError, match="bordr"):
        swathe.apply(photo, "box", bordr="wrap")


def test_nodata(photo):
    image = photo[..., 0].astype(np.float32)
    image[10:20, 10:20] = -9999
    by_value = swathe.apply(image, "box:3", nodata=-9999)
    by_nan = swathe.apply(np.where(image == -9999, np.nan, image).astype(np.float32), "box:3",
                          nodata="nan")
    assert np.array_equal(by_value == -9999, np.isnan(by_nan))
    assert np.allclose(by_value[by_value != -9999], by_nan[~np.isnan(by_nan)], rtol=1e-6)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16", "float32", "float64"])
def test_masked_arrays(photo, dtype):
    """The mean of what is there, by plain loops."""
    image = np.ma.MaskedArray(photo[:20, :25].astype(dtype), photo[:20, :25] % 5 == 0)
    result = swathe.apply(image, "box:3")
    assert isinstance(result, np.ma.MaskedArray) and result.dtype == image.dtype
    assert np.array_equal(result.mask, image.mask)
    for y in range(1, 19):
        for x in range(1, 24):
            for c in range(3):
                if not image.mask[y, x, c]:
                    near = image[y - 1:y + 2, x - 1:x + 2, c].astype(float).mean()
                    assert abs(float(result[y, x, c]) - near) <= (0.5001 if image.dtype.kind != "f"
                                                                  else 1e-4)
    filled = swathe.apply(image, "box:3", nodata=":fill")
    assert filled.mask.sum() < result.mask.sum()


def test_exceptions(photo):
    with pytest.raises(swathe.ArgumentError, match="did you mean 'gaussian'"):
        swathe.apply(photo, "gausian")
    with pytest.raises(ValueError):
        swathe.Chain("gaussian:")
    with pytest.raises(swathe.LimitError) as caught:
        swathe.apply(photo, "gaussian:9", max_memory=10)
    assert caught.value.subject == "max_memory" and caught.value.needed > 10
    assert swathe.apply(photo, "gaussian:9", max_memory=caught.value.needed).shape == photo.shape
    with pytest.raises(swathe.Error):
        swathe.apply(photo, "box", device="cuda:99")
    with pytest.raises(FileNotFoundError):
        swathe.open("no-such-file.png")
    with pytest.raises(swathe.InputError):
        swathe.open(b"not an image")
