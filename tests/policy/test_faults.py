from mcp_assay.policy.faults import InvalidArguments, PolicyError, UnknownTool


def test_every_fault_of_a_caller_is_one_kind_and_every_problem_is_told():
    invalid = InvalidArguments(["a: missing", "b: unknown key"])
    assert invalid.problems == ["a: missing", "b: unknown key"]
    assert str(invalid) == "a: missing; b: unknown key"
    assert issubclass(UnknownTool, PolicyError)
    assert isinstance(invalid, PolicyError)
