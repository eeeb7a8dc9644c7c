"""Contract: whoever has installed Kumiko, and has no more of it, writes a solver, a case or a program
with its threads within minutes: what the program's templates say, does."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

BUILD = Path(os.environ["KUMIKO_BUILD"])
SOURCE = Path(os.environ["KUMIKO_SOURCE"])
CMAKE = os.environ["CMAKE_COMMAND"]
COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]

# Zalesak's disk, coarse enough for a second.
COARSE = ["--set", "grid.base=64", "--set", "time.steps=640", "--set", "time.stop_step=80"]

PROGRAM = """
#include <atomic>
#include <cstdio>
#include <vector>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/runtime/thread.hpp>

int main() {
  std::atomic<int> sum = 0;
  kumiko::runtime::Runtime runtime;
  runtime.run([&] {
    std::vector<kumiko::runtime::Thread> threads;
    for (int number = 1; number <= 100; ++number) threads.emplace_back([&sum, number] { sum += number; });
    for (auto& thread : threads) thread.join();
  });
  std::printf("%d\\n", sum.load());
}
"""

# That the engine, and not the interface of plugins or the threads, needs.
ENGINE_PACKAGES = ["fmt", "HDF5", "nlohmann_json", "OpenMP", "ZLIB"]
WITHOUT_ENGINE = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{package}=ON" for package in ENGINE_PACKAGES]

PROGRAM_BUILD = """
cmake_minimum_required(VERSION 3.25)
project(program LANGUAGES CXX)
find_package(kumiko REQUIRED COMPONENTS @COMPONENT@)
foreach(name program own_policies)
  add_executable(${name} ${name}.cpp)
  target_link_libraries(${name} PRIVATE kumiko::runtime)
endforeach()
"""


EXAMPLES = ["run", "own_criterion", "own_boundary"]

# @KUMIKO@ stands for the line that finds Kumiko, or builds it as a part.
ENGINE_BUILD = """
cmake_minimum_required(VERSION 3.25)
project(engine LANGUAGES CXX)
@KUMIKO@
foreach(name run own_criterion own_boundary headers)
  add_executable(${name} ${name}.cpp)
  target_link_libraries(${name} PRIVATE kumiko::amr)
endforeach()
target_link_libraries(headers PRIVATE kumiko::search)
"""
FOUND = "find_package(kumiko REQUIRED COMPONENTS amr)"
A_PART = f'set(KUMIKO_RUNTIME_ONLY OFF)\nadd_subdirectory("{SOURCE}" kumiko)'
THREADS_AS_A_PART = f"""
cmake_minimum_required(VERSION 3.25)
project(threads LANGUAGES CXX)
add_subdirectory("{SOURCE}" kumiko)
add_executable(program program.cpp)
target_link_libraries(program PRIVATE kumiko::runtime)
if(TARGET kumiko::amr)
  message(FATAL_ERROR "nobody has asked for the engine")
endif()
"""


def is_code(line):
    return line.strip() != "" and not line.strip().startswith("//")


class NewcomerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        # As a home may be called.
        cls.prefix = Path(folder.name) / "the prefix"
        subprocess.run(
            [CMAKE, "--install", BUILD, "--prefix", cls.prefix], check=True, capture_output=True
        )
        cls.program = cls.prefix / "bin" / "kumiko"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)
        self.set_path(self.prefix / "bin")

    def set_path(self, folder):
        """Has PATH find the kumiko of this folder and no other, as a user's does."""
        others = [each for each in os.environ["PATH"].split(":") if not (Path(each) / "kumiko").exists()]
        self.environment_path = ":".join([str(folder), *others])

    def call(self, *command, **variables):
        environment = {name: os.environ[name] for name in ("HOME", "LANG") if name in os.environ}
        environment["PATH"] = self.environment_path
        return subprocess.run(
            [str(word) for word in command],
            cwd=self.path,
            env={**environment, **variables},
            capture_output=True,
            text=True,
            timeout=300,
        )

    def call_well(self, *command, **variables):
        done = self.call(*command, **variables)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def kumiko(self, *arguments):
        return self.call_well(self.program, *arguments)

    def assert_refused(self, *arguments, parts):
        done = self.call(self.program, *arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)

    def build(self, folder, *options, compiler=COMPILERS[0], build="build"):
        """As the README of the folder says."""
        output = self.call_well(CMAKE, "-S", folder, "-B", f"{folder}/{build}", *options, CXX=compiler,
                                CXXFLAGS="-Wall -Wextra -Wpedantic -Wshadow")  # fmt: skip
        output += self.call_well(CMAKE, "--build", f"{folder}/{build}")
        self.assertNotIn("warning", output.lower())

    def run_case(self, config, name, *arguments):
        self.kumiko("run", config, "--output", name, "--quiet", *arguments)
        return json.loads((self.path / name / "summary.json").read_text())


class Solver(NewcomerTest):
    def test_given_a_new_solver_when_built_then_it_is_the_shipped_one_under_another_name(self):
        self.kumiko("solver", "new", "my_scheme")
        config = "my_scheme/my_scheme.toml"
        shipped = self.run_case(config, "shipped", *COARSE, "--set", "solver.name=upwind1")
        self.build("my_scheme", *WITHOUT_ENGINE)
        self.assertIn("conforms", self.kumiko("solver", "check", "my_scheme/build/my_scheme.so"))
        self.assert_computes_as(shipped, config, "my_scheme/build")

    def assert_computes_as(self, shipped, config, plugins):
        own = self.run_case(config, "own", *COARSE, "--plugin-path", plugins)
        self.assertEqual(own["solver"], "my_scheme")
        self.assertEqual(own["state_hash"], shipped["state_hash"])
        self.assertEqual(own["error"], shipped["error"])

    def test_given_a_new_solver_then_it_is_short(self):
        self.kumiko("solver", "new", "my_scheme")
        lines = (self.path / "my_scheme" / "my_scheme.cpp").read_text().splitlines()
        self.assertLessEqual(len([line for line in lines if is_code(line)]), 60)

    def test_given_the_build_tree_and_another_compiler_then_a_solver_can_be_built_from_it_too(self):
        self.set_path(BUILD / "bin")
        self.call_well("kumiko", "solver", "new", "my_scheme")
        self.build("my_scheme", compiler=COMPILERS[-1])
        self.assertIn(f"kumiko_DIR:PATH={BUILD}", self.cache("my_scheme/build"))
        config = "my_scheme/my_scheme.toml"
        shipped = self.run_case(config, "shipped", *COARSE, "--set", "solver.name=upwind1")
        self.assert_computes_as(shipped, config, "my_scheme/build")

    def test_given_a_root_then_it_goes_before_path(self):
        self.kumiko("solver", "new", "my_scheme")
        self.call_well(CMAKE, "-S", "my_scheme", "-B", "build", "-D", f"kumiko_ROOT={BUILD}")
        self.assertIn(f"kumiko_DIR:PATH={BUILD}", self.cache("build"))

    def cache(self, folder):
        return (self.path / folder / "CMakeCache.txt").read_text()

    def test_given_a_path_that_leads_to_kumiko_then_nothing_else_is_said(self):
        done = self.call(self.program, "solver", "new", "my_scheme")
        self.assertEqual((done.stdout, done.stderr), ("my_scheme/README.md\n", ""))

    def test_given_no_kumiko_in_path_then_the_option_that_names_its_place_is_told(self):
        self.set_path(self.path)
        (self.path / "kumiko").symlink_to(self.program)  # which does not lead CMake to the package
        done = self.call("kumiko", "solver", "new", "my_scheme")
        self.assertEqual(done.returncode, 0, done.stderr)
        failed = self.call(CMAKE, "-S", "my_scheme", "-B", "build")
        self.assertNotEqual(failed.returncode, 0)
        self.assertIn("kumiko-config.cmake", failed.stderr)
        told = re.search(r"cmake -B build (-D .*)\n", done.stderr)
        self.call_well("sh", "-c", f"cd my_scheme && {CMAKE} -B build {told[1]}")

    def test_given_a_folder_that_is_there_then_it_is_not_touched(self):
        self.kumiko("solver", "new", "my_scheme")
        source = self.path / "my_scheme" / "my_scheme.cpp"
        source.write_text("a day's work")
        for kind in ("solver", "case"):
            self.assert_refused(kind, "new", "my_scheme", parts=["'my_scheme' already exists", "--output"])
        self.assertEqual(source.read_text(), "a day's work")

    def test_given_a_name_that_cannot_be_one_then_it_is_refused(self):
        for kind in ("solver", "case"):
            for name in ("My-Scheme", "1st", "", "a.b", "../away", "two words", "_x"):
                self.assert_refused(kind, "new", name, parts=[f"'{name}'", "lower-case letters"])
            for name in ("test", "all", "install", "edit_cache"):
                self.assert_refused(kind, "new", name, parts=[f"'{name}'", "another name"])
        self.assertEqual(list(self.path.iterdir()), [])

    def test_given_a_name_that_is_taken_then_it_is_refused(self):
        self.assert_refused("solver", "new", "upwind1", parts=["'upwind1'", "another name"])
        self.assert_refused("case", "new", "zalesak", parts=["'zalesak'", "another name"])
        self.assertEqual(list(self.path.iterdir()), [])


class Case(NewcomerTest):
    def test_given_a_new_case_when_built_then_shipped_solvers_run_it(self):
        self.kumiko("case", "new", "my_case")
        # A plugin by a compiler that has not built the program.
        self.build("my_case", compiler=COMPILERS[-1])
        summary = self.run_case("my_case/my_case.toml", "run", "--plugin-path", "my_case/build")
        self.assertEqual(summary["case"], "my_case")
        self.assertLess(summary["error"]["rms"], 1e-3)
        listed = self.kumiko("case", "list", "--plugin-path", "my_case/build")
        self.assertIn("my_case", listed)
        self.assert_refused("case", "new", "my_case", "--output", "other", "--plugin-path", "my_case/build",
                            parts=["'my_case'", "another name"])  # fmt: skip


class Threads(NewcomerTest):
    def write_program(self, component):
        (self.path / "program").mkdir()
        (self.path / "program" / "program.cpp").write_text(PROGRAM)
        shutil.copy(SOURCE / "examples" / "own_policies.cpp", self.path / "program")
        (self.path / "program" / "CMakeLists.txt").write_text(
            PROGRAM_BUILD.replace("@COMPONENT@", component)
        )

    def test_given_the_runtime_alone_then_a_program_needs_nothing_else_of_kumiko(self):
        self.write_program("runtime")
        options = [f"-Dkumiko_ROOT={self.prefix}", "-DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON", *WITHOUT_ENGINE]
        # Also by a compiler that has not built the library.
        for compiler in COMPILERS:
            with self.subTest(compiler):
                self.build("program", *options, compiler=compiler, build=compiler)
                self.assertEqual(self.call_well(f"program/{compiler}/program"), "5050\n")
                # Which says by its exit whether each policy of its own has been asked.
                self.assertIn("16384 leaves", self.call_well(f"program/{compiler}/own_policies"))

    def test_given_a_component_that_is_not_there_then_those_that_are_get_named(self):
        self.write_program("engine")
        done = self.call(CMAKE, "-S", "program", "-B", "build", "-D", f"kumiko_ROOT={self.prefix}")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("amr, plugin, search, cluster, runtime", " ".join(done.stderr.split()))

    def test_given_the_sources_as_a_part_then_a_program_gets_the_threads_alone(self):
        self.write_program("")
        (self.path / "program" / "CMakeLists.txt").write_text(THREADS_AS_A_PART)
        self.call_well(CMAKE, "-S", "program", "-B", "build", *WITHOUT_ENGINE)
        self.call_well(CMAKE, "--build", "build", "--target", "program.cpp.o")


class Engine(NewcomerTest):
    def write_programs(self, kumiko):
        """The examples, and a program of all headers, which must be whole: each includes what it needs."""
        folder = self.path / "engine"
        folder.mkdir()
        for name in EXAMPLES:
            shutil.copy(SOURCE / "examples" / f"{name}.cpp", folder)
        include = self.prefix / "include"
        headers = sorted(str(file.relative_to(include)) for file in include.rglob("*.hpp"))
        self.assertIn("kumiko/io/state_writer.hpp", headers)
        lines = [f"#include <{header}>\n" for header in headers]
        (folder / "headers.cpp").write_text("".join(lines) + "int main() {}\n")
        (folder / "CMakeLists.txt").write_text(ENGINE_BUILD.replace("@KUMIKO@", kumiko))

    def run_examples(self, build):
        for name in EXAMPLES:
            # Each checks its own result.
            self.assertNotEqual(self.call_well(f"engine/{build}/{name}"), "")

    def test_given_the_installed_engine_then_the_examples_run_with_it(self):
        self.write_programs(FOUND)
        # Also by a compiler that has not built the libraries.
        for compiler in COMPILERS:
            with self.subTest(compiler):
                self.build("engine", f"-Dkumiko_ROOT={self.prefix}", compiler=compiler, build=compiler)
                self.run_examples(compiler)

    def test_given_the_build_tree_then_the_examples_run_with_it(self):
        self.write_programs(FOUND)
        self.build("engine", f"-Dkumiko_ROOT={BUILD}")
        self.run_examples("build")

    def test_given_a_package_that_the_engine_needs_and_is_missing_then_it_is_named(self):
        self.write_programs(FOUND)
        for package in ENGINE_PACKAGES:
            done = self.call(CMAKE, "-S", "engine", "-B", package, f"-Dkumiko_ROOT={self.prefix}",
                             f"-DCMAKE_DISABLE_FIND_PACKAGE_{package}=ON")  # fmt: skip
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(f"component 'amr' lacks {package} (in Debian:", " ".join(done.stderr.split()))

    def test_given_the_sources_as_a_part_then_a_project_that_asks_gets_the_engine(self):
        self.write_programs(A_PART)
        self.call_well(CMAKE, "-S", "engine", "-B", "build")
        # To build all of it would take minutes.
        self.call_well(CMAKE, "--build", "build", "--target", "run.cpp.o")


class Tree(NewcomerTest):
    def test_given_headers_that_only_the_command_has_a_use_for_then_they_are_not_there(self):
        names = {file.name for file in (self.prefix / "include").rglob("*.hpp")}
        self.assertEqual(names & {"nearest.hpp", "templates.hpp"}, set())

    def test_given_no_googletest_then_the_program_can_be_built_without_the_tests(self):
        output = self.call_well(CMAKE, "--preset", "release", "-S", SOURCE, "-B", self.path / "build",
                                "-DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON", "-DKUMIKO_WITH_REPORT=OFF")  # fmt: skip
        self.assertIn("Tests: left out, since GoogleTest (libgtest-dev) is missing", output)
        targets = self.call_well(CMAKE, "--build", "build", "--target", "help")
        self.assertIn("kumiko: phony", targets)
        self.assertNotIn("kumiko_tests", targets)

    def test_given_packages_that_are_half_there_then_the_program_is_configured_without_them(self):
        (self.path / "mpicc").write_text("#!/bin/sh\nexit 1\n")
        (self.path / "mpicc").chmod(0o755)
        (self.path / "gtest").mkdir()
        (self.path / "gtest" / "GTestConfig.cmake").write_text('message(FATAL_ERROR "libgtest.a is not there")\n')
        half = [f"-DGTest_DIR={self.path}/gtest", f"-DKUMIKO_MPICC_OPENMPI={self.path}/mpicc"]
        output = self.call_well(CMAKE, "--preset", "program", "-S", SOURCE, "-B", self.path / "build", *half,
                                "-DKUMIKO_WITH_REPORT=OFF")  # fmt: skip
        self.assertIn("Link by Open MPI: left out", output)
        self.assertRegex(output, r"-- Kumiko: with .*; without .*Open MPI")
        targets = self.call_well(CMAKE, "--build", "build", "--target", "help")
        self.assertIn("kumiko: phony", targets)
        for other in ("kumiko_tests", "viz_tests", "example_fib", "kumiko_link_openmpi", "kumiko_link_mpich"):
            self.assertNotIn(f"{other}: phony", targets)

    def test_given_half_of_an_optional_part_then_the_runtime_is_configured_without_it(self):
        folders = {str(file.parent) for file in Path("/usr/lib").rglob("libhwloc.so")}
        libraries = sorted(folders | {folder.removeprefix("/usr") for folder in folders})  # /lib leads to /usr/lib
        self.assertTrue(Path("/usr/include/hwloc.h").exists() and libraries, "libhwloc-dev is not there")
        for half, hidden in (("library", "/usr/include"), ("header", ";".join(libraries))):
            with self.subTest(only=half):
                output = self.call_well(CMAKE, "--preset", "program", "-S", SOURCE, "-B", self.path / "build",
                                        "-DKUMIKO_RUNTIME_ONLY=ON", f"-DCMAKE_IGNORE_PATH={hidden}")  # fmt: skip
                self.assertRegex(output, r"-- Kumiko: without .*hwloc")
                self.assertNotRegex(output, r"-- Kumiko: with .*hwloc.*;")

    def test_given_the_program_alone_then_the_tests_build_compiles_its_sources_the_same_way(self):
        def compiled(preset):
            self.call_well(CMAKE, "--preset", preset, "-S", SOURCE, "-B", self.path / "build",
                           "-DKUMIKO_WITH_REPORT=OFF")  # fmt: skip
            commands = json.loads((self.path / "build" / "compile_commands.json").read_text())
            return {re.search(r" -o (\S+)", entry["command"])[1]: entry["command"] for entry in commands}

        alone, with_tests = compiled("program"), compiled("release")
        self.assertGreater(len(with_tests), len(alone))
        changed = {output for output, command in alone.items() if with_tests.get(output) != command}
        self.assertLessEqual({Path(output).name for output in changed}, {"valgrind_stacks.cpp.o"})

    def test_given_googletest_without_googlemock_then_the_tests_are_left_out(self):
        (self.path / "gtest").mkdir()
        (self.path / "gtest" / "GTestConfig.cmake").write_text(
            "foreach(name gtest gtest_main)\n  add_library(GTest::${name} INTERFACE IMPORTED)\nendforeach()\n"
            "set(GTest_FOUND TRUE)\n"
        )
        output = self.call_well(CMAKE, "--preset", "release", "-S", SOURCE, "-B", self.path / "build",
                                f"-DGTest_DIR={self.path}/gtest", "-DKUMIKO_RUNTIME_ONLY=ON")  # fmt: skip
        self.assertIn("Tests: left out, since GoogleMock (libgmock-dev) is missing", output)

    @unittest.skipUnless((BUILD / "lib" / "libkumiko_pthread.so").exists(), "it was not built")
    def test_given_the_installed_library_of_posix_threads_then_a_program_runs_with_it(self):
        library = self.prefix / "lib" / "libkumiko_pthread.so"
        program = "import threading; t = threading.Thread(target=print, args=[42]); t.start(); t.join()"
        # The prefix has a space, at which LD_PRELOAD would part.
        (self.path / library.name).symlink_to(library)
        self.assertEqual(self.call_well("/usr/bin/python3", "-c", program, LD_PRELOAD=self.path / library.name), "42\n")

    def test_given_the_plugin_interface_then_it_is_plain_c(self):
        header = self.prefix / "include" / "kumiko" / "plugin" / "plugin_abi.h"
        for compiler in ("gcc", "clang"):
            if not shutil.which(compiler):
                continue
            for standard in ("c99", "c11"):
                self.call_well(compiler, f"-std={standard}", "-Wall", "-Wextra", "-pedantic", "-Werror",
                               "-fsyntax-only", "-x", "c", header)  # fmt: skip


if __name__ == "__main__":
    unittest.main()
