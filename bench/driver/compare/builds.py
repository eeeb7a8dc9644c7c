"""Builds commits, each in a worktree of its own, and keeps what was built."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

# As the command is built for users, without what no metric runs.
OPTIONS = {
    "KUMIKO_BUILD_BENCH": "ON",
    "KUMIKO_BUILD_TESTS": "OFF",
    "KUMIKO_BUILD_EXAMPLES": "OFF",
    "KUMIKO_WITH_VTK": "OFF",
    "KUMIKO_WITH_REPORT": "OFF",
    "KUMIKO_WITH_OTF2": "OFF",
}


class BuildError(Exception):
    """Why a commit cannot be compared at all."""


@dataclass(frozen=True)
class Commit:
    name: str  # as the user wrote it
    sha: str
    subject: str

    @property
    def short(self) -> str:
        return self.sha[:10]


@dataclass(frozen=True)
class Build:
    commit: Commit
    tree: Path  # the sources
    programs: Path

    def has(self, program: str) -> bool:
        return os.access(self.programs / program, os.X_OK)


def git(root: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise BuildError(f"git {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout.strip()


def commit_of(root: Path, name: str) -> Commit:
    try:
        sha = git(root, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    except BuildError:
        raise BuildError(f"'{name}' is not a commit of {root}; git log lists what is there") from None
    return Commit(name, sha, git(root, "show", "--no-patch", "--format=%s", sha))


def worktree(root: Path, commit: Commit) -> Path:
    tree = root / "build/compare" / commit.sha
    if not (tree / ".git").exists():
        git(root, "worktree", "prune")
        git(root, "worktree", "add", "--force", "--detach", str(tree), commit.sha)
    changed = git(tree, "status", "--porcelain", "--untracked-files=no")
    if changed or git(tree, "rev-parse", "HEAD") != commit.sha:
        remedy = f"git worktree remove --force {tree}"
        raise BuildError(f"{tree} is not as commit {commit.short} has it; remove it: {remedy}")
    return tree


def build(root: Path, commit: Commit, targets: list[str]) -> Build:
    """Builds the targets; those that the commit lacks, or that do not compile, have no program then."""
    tree = worktree(root, commit)
    binary = tree / "build/release"
    log_path = root / "build/compare" / f"{commit.sha}.log"
    jobs = os.environ.get("KUMIKO_JOBS") or str(len(os.sched_getaffinity(0)))
    print(f"building {commit.name} ({commit.short}) in {tree}; log: {log_path}", flush=True)
    with log_path.open("w") as log:

        def run(*command: str) -> bool:
            log.write(f"$ {' '.join(command)}\n")
            log.flush()
            return subprocess.run(command, cwd=tree, stdout=log, stderr=subprocess.STDOUT).returncode == 0

        if not (binary / "build.ninja").exists():
            options = [f"-D{name}={value}" for name, value in OPTIONS.items()]
            if not run("cmake", "--preset", "release", *options):
                raise BuildError(f"commit {commit.short} cannot be configured; see {log_path}")
        for target in targets:
            if not run("cmake", "--build", str(binary), "--parallel", jobs, "--target", target):
                print(f"  {target} does not build there", flush=True)
                (binary / "bin" / target).unlink(missing_ok=True)
    return Build(commit, tree, binary / "bin")
