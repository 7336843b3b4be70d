import math

import numpy as np
import pytest
import torch

from problems.inputs import VECTORS, bits, generator, integer_bits, seed_of, vector
from problems.matrices import EPS, MATRICES, matrices
from tests.problems.keys import flipped, key

FAMILIES = sorted(VECTORS)
RANDOM_MATRICES = sorted(set(MATRICES) - {"identity", "zero"})


def test_every_bit_of_the_key_changes_the_stream() -> None:
    streams = {bits(flipped(key(), bit)).random_raw(2).tobytes() for bit in range(256)}
    assert len(streams | {bits(key()).random_raw(2).tobytes()}) == 257


def test_every_bit_of_the_key_changes_a_legacy_seed_which_has_31_bits() -> None:
    seeds = {seed_of(flipped(key(), bit)) for bit in range(256)} | {seed_of(key())}
    assert len(seeds) == 257
    assert all(0 <= seed < 2**31 for seed in seeds)


def test_purposes_of_one_key_are_unrelated() -> None:
    assert not np.array_equal(bits(key(), "inputs").random_raw(4), bits(key(), "check").random_raw(4))


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_key_of_another_length_is_refused(length: int) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        generator(bytes(length))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n", [1, 2, 3, 33, 1025])
def test_vectors_are_finite_float32_and_follow_from_the_key(family: str, n: int) -> None:
    x = vector(n, family, key())
    assert (x.dtype, x.shape) == (torch.float32, (n,))
    assert x.is_contiguous()
    assert torch.isfinite(x).all()
    assert torch.equal(x, vector(n, family, key()))
    assert not torch.equal(x, vector(n, family, key(1)))


def test_unknown_families_and_empty_vectors_are_refused() -> None:
    with pytest.raises(ValueError, match="integers"):
        vector(3, "nope", key())
    with pytest.raises(ValueError, match="one or more"):
        vector(0, "normal", key())
    with pytest.raises(ValueError, match="mixed"):
        matrices(1, 2, 2, "nope", key())
    with pytest.raises(ValueError, match="m >= n"):
        matrices(1, 2, 3, "mixed", key())


@pytest.mark.parametrize(("n", "k"), [(1, 15), (2**20, 12), (2**24, 10), (2**26, 9)])
def test_integers_are_as_large_as_exact_sums_allow(n: int, k: int) -> None:
    assert integer_bits(n) == k
    assert 2**k <= 2**24 * math.sqrt(3) / (6 * math.sqrt(n)) or k == 0


def test_integers_are_whole_nonzero_within_bounds_symmetric_and_summed_exactly() -> None:
    n = 400_001
    x = vector(n, "integers", key())
    most = 2 ** integer_bits(n)
    assert torch.equal(x, x.round())
    assert not (x == 0).any()
    assert (x.min(), x.max()) == (-most, most)
    assert abs(float(x.double().mean())) < 5 * most / math.sqrt(3 * n)
    serial = x.numpy().cumsum(dtype=np.float32)
    assert float(serial[-1]) == float(x.double().sum())


def test_integers_come_from_the_whole_stream_not_from_one_block() -> None:
    x = vector(1 << 18, "integers", key())
    assert not torch.equal(x[: 1 << 17], x[1 << 17 :])


def test_pairs_cancel_exactly_and_are_shuffled() -> None:
    x = vector(10_000, "pairs", key())
    assert math.fsum(x.tolist()) == 0
    assert not torch.equal(x[:5000], -x[5000:])
    assert vector(9_999, "pairs", key()).unique().numel() == 9_999


def test_each_family_looks_like_its_name() -> None:
    x = {family: vector(20_000, family, key()).double() for family in FAMILIES}
    assert abs(float(x["normal"].std()) - 1) < 0.05
    assert abs(float(x["offset"].mean()) - 1e4) < 0.1
    assert (float(x["uniform"].min()) >= 0) & (float(x["uniform"].max()) < 1)
    assert abs(float(x["lognormal"].log().std()) - 3) < 0.1
    sizes = x["loguniform"].abs().log10()
    assert (float(sizes.min()) > -6.01) & (float(sizes.max()) < 6.01) & (abs(float(sizes.mean())) < 0.2)
    assert 0.4 < float((x["loguniform"] > 0).double().mean()) < 0.6
    assert (x["spike"] > 1000).sum() == 1
    assert float(x["subnormal"].abs().max()) < 2.0**-126


def test_a_spike_moves_with_the_key() -> None:
    assert len({int(vector(1000, "spike", key(seed)).argmax()) for seed in range(20)}) > 10


@pytest.mark.parametrize("family", sorted(MATRICES))
@pytest.mark.parametrize(("m", "n"), [(1, 1), (2, 2), (5, 1), (17, 13), (33, 33)])
def test_matrices_are_finite_float32_and_follow_from_the_key(family: str, m: int, n: int) -> None:
    a = matrices(3, m, n, family, key())
    assert (a.dtype, a.shape) == (torch.float32, (3, m, n))
    assert a.is_contiguous()
    assert torch.isfinite(a).all()
    assert torch.equal(a, matrices(3, m, n, family, key()))


@pytest.mark.parametrize("family", RANDOM_MATRICES)
def test_every_random_family_changes_with_the_key(family: str) -> None:
    assert not torch.equal(matrices(2, 17, 13, family, key()), matrices(2, 17, 13, family, key(1)))


@pytest.mark.parametrize(
    ("family", "condition"),
    [("well_conditioned", 2), ("badly_conditioned", (0.2 / EPS) ** 0.5), ("near_overflow", 2), ("near_underflow", 2)],
)
def test_lapack_spectra_have_their_condition_and_norm(family: str, condition: float) -> None:
    values = torch.linalg.svdvals(matrices(1, 40, 33, family, key()).double())[0]
    assert float(values[0] / values[-1]) == pytest.approx(condition, rel=0.05)
    norm = {"near_overflow": 2**-24 / 2.0**-126 * 4, "near_underflow": 2.0**-126 / 2**-24 / 4}.get(family, 1)
    assert float(values[0]) == pytest.approx(norm, rel=1e-4)


def test_profiles_are_as_hard_as_they_say() -> None:
    a = {family: matrices(1, 64, 64, family, key())[0].double() for family in MATRICES}
    norms = {family: torch.linalg.vector_norm(matrix, dim=0) for family, matrix in a.items()}
    assert torch.linalg.matrix_rank(a["rankdef"], rtol=1e-5) == 48
    assert torch.linalg.matrix_rank(a["nearrank"], rtol=1e-4) == 48
    assert float(norms["graded"].max() / norms["graded"].min()) > 1e10
    assert float(norms["clustered"].max() / norms["clustered"].min()) > 0.1 / EPS
    assert (norms["zerocolumns"] == 0).any()
    assert a["duplicate"].T.unique(dim=0).shape[0] <= 32
    assert float(torch.linalg.cond(a["collinear"])) > 1e4
    assert float(torch.linalg.cond(a["hilbert"])) > 1e7
    assert torch.equal(a["upper"], a["upper"].triu())
    assert torch.equal(a["lower"], a["lower"].tril())
    assert (a["zero"] == 0).all()
    assert torch.equal(a["identity"], torch.eye(64, dtype=torch.float64))


def test_a_mixed_batch_holds_easy_and_hard_matrices_at_places_that_the_key_decides() -> None:
    def easy(seed: int) -> torch.Tensor:
        a = matrices(64, 32, 32, "mixed", key(seed)).double()
        spread = torch.linalg.vector_norm(a, dim=1)
        return (torch.linalg.cond(a) < 1e4) & (spread.amax(1) < 3 * spread.amin(1))

    first, second = easy(0), easy(1)
    assert 16 < int(first.sum()) < 48
    assert not torch.equal(first, second)
