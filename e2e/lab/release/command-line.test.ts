import { expect, test } from "vitest";
import { readReleaseCommand } from "./command-line.ts";

const read = (line: string, environment = {}) =>
  readReleaseCommand(line === "" ? [] : line.split(" "), environment);

test("reads a version to write, or what to pack", () => {
  expect(read("0.2.0")).toEqual({ action: "write", version: "0.2.0" });
  expect(read("--help")).toEqual({ action: "help" });
  expect(read("--dry-run --version 0.2.0 --to out --no-build")).toMatchObject({
    action: "pack",
    version: "0.2.0",
    to: "out",
    build: false,
  });
  expect(read("--dry-run --tag v0.2.0", { npm_config_dry_run: "true" })).toMatchObject({ tag: "v0.2.0" });
});

test.each([
  ["--dry-run 0.2.0", "takes the version as a flag: --version 0.2.0"],
  ["--dry-run --tag v0.2.0 --no-build", "--tag needs a build"],
  ["--dry-run --tag v0.2.0 --version 0.3.0", "--tag says which version"],
  ["0.2.0 --tag v0.2.0", "--tag belongs to --dry-run"],
  ["--no-build", "--no-build belongs to --dry-run"],
  ["", "one version is needed"],
  ["0.2.0 0.3.0", "one version is needed"],
  ["--dry-run --version 0.02.0", '"0.02.0" is not a version'],
  ["--unknown", "--unknown"],
])("refuses %j", (line, message) => {
  expect(() => read(line)).toThrow(message);
});

test("writes nothing if npm has taken a flag for itself", () => {
  expect(() => read("0.2.0", { npm_config_dry_run: "true" })).toThrow("npm run lab -- release --dry-run");
  expect(() => read("0.2.0", { npm_config_tag: "v0.2.0" })).toThrow("npm run lab -- release --tag");
  expect(read("0.2.0", { npm_config_dry_run: "" })).toMatchObject({ action: "write" });
});
