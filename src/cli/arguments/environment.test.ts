import { afterEach, expect, test, vi } from "vitest";
import { useProjectFolder } from "../../../e2e/support/projects/project-folder.ts";
import { flagsOfEnvironment } from "./command-line.ts";

const folder = useProjectFolder();
afterEach(() => vi.unstubAllEnvs());

const flags = {
  "project-name": { type: "string", summary: "" },
  multigroup: { type: "boolean", summary: "" },
  enable: { type: "list", summary: "" },
  image: { type: "string", summary: "", short: "i" },
  output: { type: "string", summary: "" },
  force: { type: "boolean", summary: "" },
  yes: { type: "boolean", summary: "" },
  version: { type: "string", summary: "" },
  plugins: { type: "list", summary: "" },
} as const;
const environment = {
  TSBUILDER_PROJECT_NAME: "shop",
  TSBUILDER_MULTIGROUP: "true",
  TSBUILDER_ENABLE: "a,b",
  TSBUILDER_IMAGE: "",
  TSBUILDER_OUTPUT: "json",
  TSBUILDER_FORCE: "true",
  TSBUILDER_YES: "true",
  TSBUILDER_VERSION: "v2",
  TSBUILDER_PLUGINS: "team.example.com/v1",
  PROJECT_NAME: "other",
};

test.each([
  [[], ["--project-name=shop", "--multigroup=true", "--enable=a,b"]],
  [["--project-name", "x", "--no-multigroup"], ["--enable=a,b"]],
  [["--project-name=x", "--multigroup=false", "--enable", "c"], []],
])("what was typed wins: %j", (typed, expected) => {
  expect(flagsOfEnvironment(flags, typed, environment).map(({ word }) => word)).toEqual(expected);
});

test("a short flag counts as typed", () => {
  expect(flagsOfEnvironment(flags, ["-i", "x"], { TSBUILDER_IMAGE: "y" })).toEqual([]);
});

test("a command takes flags from the environment, says so, and needs no prompt for them", async () => {
  vi.stubEnv("TSBUILDER_DOMAIN", "example.org");
  vi.stubEnv("TSBUILDER_PROJECT_NAME", "shop");
  expect(await folder.call("init --dry-run --project-name pub")).toContain(
    "--domain=example.org comes from TSBUILDER_DOMAIN",
  );
  vi.stubEnv("TSBUILDER_DOMAIN", "not a domain");
  await expect(folder.call("init --dry-run")).rejects.toMatchObject({ code: "INVALID_NAME" });
});
