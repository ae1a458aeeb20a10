from typing import Any, Callable

def call(
    request: str,
    streams: Any = ...,
    n_out: int = 0,
    on_message: Callable[[int, tuple[int, str, str | None, str | None, int]], object] | None = None,
    on_progress: Callable[[str | None, int, int], object] | None = None,
    on_row: Callable[[str, int, int], object] | None = None,
    threads: int = 0,
    memory: int = 0,
    spill_dir: str | None = None,
    details: bool = False,
    wordnet_dir: str | None = None,
) -> tuple[int, str | None, list[Any], tuple[int, str, str | None, str | None, int] | None]: ...
def end_calls() -> None: ...
def release_rows(
    folder: str,
) -> tuple[int, Any, tuple[int, str, str | None, str | None, int] | None]: ...
def texts_new(
    kinds: str | None, list: str | None
) -> tuple[int, Any, tuple[int, str, str | None, str | None, int] | None]: ...
def texts_run(
    texts: Any, operation: str, given: list[Any]
) -> tuple[int, Any, tuple[int, str, str | None, str | None, int] | None]: ...
def batch_new(
    what: Any,
) -> tuple[int, Any, tuple[int, str, str | None, str | None, int] | None]: ...
def batch_apply(
    function: Any, schema: Any, array: Any
) -> tuple[int, Any, tuple[int, str, str | None, str | None, int] | None]: ...
def cut_read(
    path: str,
) -> tuple[int, Any, tuple[int, str, str | None, str | None, int] | None]: ...
def cut_of_release(
    folder: str, hierarchies: str | None, taxonomy: str | None
) -> tuple[int, Any, tuple[int, str, str | None, str | None, int] | None]: ...
def cut_write(
    cut: Any, path: str, replace: bool
) -> tuple[int, Any, tuple[int, str, str | None, str | None, int] | None]: ...
def cut_columns(cut: Any) -> tuple[bool, list[str]]: ...
def version() -> str: ...
