"""The layout of an archive, in the format of Skerry or of the original service."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from skerry.errors import Invalid
from skerry.store.transfer.unpacking import Member, Unpacked
from skerry.wire import exports as names


@dataclass
class ProjectFiles:
    """The files of a project, with those of tickets by name."""

    id: int
    alone: dict[str, Member] = field(default_factory=dict)
    milestones: list[Member] = field(default_factory=list)
    bins: list[Member] = field(default_factory=list)
    messages: list[Member] = field(default_factory=list)
    changesets: list[Member] = field(default_factory=list)
    tickets: dict[int, dict[str, Member]] = field(default_factory=dict)

    def in_order(self) -> Iterator[tuple[int, dict[str, Member]]]:
        """Yield the number of each ticket with its files."""
        for number in sorted(self.tickets):
            yield number, self.tickets[number]


@dataclass
class Layout:
    """All files of an archive; ``unknown`` counts the unknown ones."""

    root: str = ""
    users: dict[int, dict[str, Member]] = field(default_factory=dict)
    projects: dict[int, ProjectFiles] = field(default_factory=dict)
    views: list[Member] = field(default_factory=list)
    unknown: int = 0


def laid_out(files: Unpacked) -> Layout:
    """Return the layout of the archive; raises Invalid for a duplicate file, or one outside the archive."""
    layout = Layout()
    for member in files.members():
        if names.is_clutter(member.name):
            continue
        try:
            path = names.parse_path(member.name)
        except ValueError as error:
            raise Invalid(f"{member.name!r} cannot be used: {error}") from error
        if path is None:
            layout.unknown += not member.name.endswith(("/export.json", "/plan.json", "/profile.json"))
        else:
            _put(layout, member, path)
    if not layout.projects and not layout.users:
        raise Invalid(
            "This is not an export: it contains no projects and no people; "
            "what another tracker wrote is imported under its name (--from)"
        )
    return layout


def _put(layout: Layout, member: Member, path: names.ArchivePath) -> None:
    if layout.root and path.root != layout.root:
        raise Invalid(
            f"{member.name} cannot be used: the archive contains {layout.root} already, and one account"
        )
    layout.root = path.root
    if path.kind == "views":
        layout.views.append(member)
        return
    if path.kind == "users":
        _put_once(layout.users.setdefault(path.id, {}), path.file, member)
        return
    folder = layout.projects.setdefault(path.project_id, ProjectFiles(path.project_id))
    if path.kind == "tickets":
        _put_once(folder.tickets.setdefault(path.id, {}), path.file, member)
    elif path.kind == "project":
        _put_once(folder.alone, path.file, member)
    else:
        getattr(folder, path.kind).append(member)


def _put_once(files: dict[str, Member], name: str, member: Member) -> None:
    if name in files:
        raise Invalid(f"{member.name} cannot be used: {files[name].name} is in the same place")
    files[name] = member
