"""The tree of errors: what each ends the program with, and that the docstring draws all of it."""

import inspect

from mcp_assay import errors
from mcp_assay.errors import AssayError, CriticError, InputError, RpcError


def classes():
    return [found for _, found in inspect.getmembers(errors, inspect.isclass) if issubclass(found, AssayError)]


def test_every_error_is_drawn_and_exported():
    for found in classes():
        assert found.__name__ in errors.__doc__
        assert found.__name__ in errors.__all__


def test_only_a_failed_critic_ends_with_3():
    assert {found for found in classes() if found.exit_code == 3} == {CriticError}
    assert {found.exit_code for found in classes()} == {2, 3}


def test_an_input_error_names_file_line_and_key():
    assert str(InputError("plan.yaml", "must be a string", line=3, key="name")) == "plan.yaml:3: name: must be a string"
    assert str(InputError("plan.yaml", "not UTF-8")) == "plan.yaml: not UTF-8"


def test_an_rpc_error_does_not_print_the_servers_text():
    assert "CANARY" not in str(RpcError(-32000, "CANARY", {"x": "CANARY"}))
