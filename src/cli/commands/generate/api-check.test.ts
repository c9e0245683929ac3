import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { goldenHost } from "../../../../e2e/golden/golden-projects.ts";
import { writeTarball } from "../../../packaging/tarball.ts";
import { useProjectFolder } from "../../../../e2e/support/projects/project-folder.ts";
import { dispatch } from "../../start/main.ts";

const folder = useProjectFolder();
const { call, initialize, read, snapshot } = folder;
const typesFile = "api/v1/order_types.ts";

/** Runs the command; returns its exit code, and all that it prints. */
async function check(...words: string[]): Promise<{ code: number; printed: string }> {
  const printed: string[] = [];
  const keep = (text: string): void => void printed.push(text);
  const ui = { print: keep, note: keep, isInteractive: false };
  const code = await dispatch(["api", "check", ...words], folder.root, ui, goldenHost);
  return { code, printed: printed.join("\n") };
}

function edit(from: string, to: string): void {
  const text = read(typesFile);
  expect(text).toContain(from);
  writeFileSync(join(folder.root, typesFile), text.replace(from, to));
}

function git(...args: string[]): void {
  const identity = [
    "-c",
    "user.name=Anna",
    "-c",
    "user.email=anna@example.com",
    "-c",
    "commit.gpgsign=false",
  ];
  execFileSync("git", [...identity, ...args], { cwd: folder.root, stdio: "pipe" });
}

/** The line of a text in the types, as it is printed. */
function lineOf(text: string): number {
  return (
    read(typesFile)
      .split("\n")
      .findIndex((line) => line.includes(text)) + 1
  );
}

beforeEach(async () => {
  await initialize();
  await call("create api --group apps --version v1 --kind Order");
});

describe("api check against a git ref", () => {
  beforeEach(() => {
    git("init", "--quiet");
    git("add", "--all");
    git("commit", "--quiet", "--message", "first");
    git("tag", "v1.0.0");
    git("tag", "v1.1.0-rc.1");
    git("commit", "--quiet", "--allow-empty", "--message", "second");
  });

  test("finds a field that has a bound now, with its line and an object that is refused", async () => {
    edit("foo?: string;", "/** +kubebuilder:validation:MaxLength=3 */\n  foo?: string;");
    const before = snapshot();
    const { code, printed } = await check();
    expect(code).toBe(1);
    expect(printed).toMatch(
      new RegExp(
        `^${typesFile}:${lineOf("MaxLength")}:\\d+: error: orders\\.apps\\.example\\.com/v1\\.spec\\.foo: there was no maxLength, and it is now 3 \\(bound-narrowed\\)`,
      ),
    );
    expect(printed).toContain(
      "breaks appliers\n    valid before, rejected now: spec.foo: Too long: may not be more than 3 bytes\n      apiVersion: apps.example.com/v1\n      kind: Order\n      metadata:\n        name: example\n      spec:\n        foo: aaaa\n",
    );
    expect(printed).toContain("if .spec.foo stays unchanged (ratcheting");
    expect(printed).toMatch(/\nCompared with v1\.0\.0: 1 error, 0 warnings, 0 changes that break nobody$/);
    expect(snapshot()).toEqual(before);
  });

  test("compares edits with the release that they follow, and a release with the one before", async () => {
    edit("foo?: string;", "foo?: string;\n  /** A color. */\n  color?: string;");
    await call("manifests");
    git("commit", "--quiet", "--all", "--message", "third");
    git("tag", "v1.2.0");
    expect((await check()).printed).toContain("Compared with v1.0.0: ");
    edit("/** A color. */", "/** +kubebuilder:validation:MaxLength=3 */");
    expect((await check()).printed).toContain("Compared with v1.2.0: 1 error");
  });

  test("finds a removed field beside the one that is nearest, and nothing where nothing has changed", async () => {
    expect(await check("--against", "v1.0.0")).toEqual({
      code: 0,
      printed: "Compared with v1.0.0: 0 errors, 0 warnings, 0 changes that break nobody",
    });
    edit("foo?: string;", "bar?: string;");
    const { code, printed } = await check("--against", "HEAD");
    expect(code).toBe(1);
    expect(printed).toMatch(
      new RegExp(
        `^${typesFile}:${lineOf("bar?: string")}:\\d+: error: .*\\.spec\\.foo: the field was removed \\(field-removed\\)`,
      ),
    );
    expect(printed).toContain("valid before and now, but loses data: spec.foo");
  });

  test("keeps what is allowed in the project, and tells what is no longer", async () => {
    edit("foo?: string;", "");
    expect((await check("--allow", "field-removed=.spec.foo", "--reason", "nothing read it")).code).toBe(0);
    expect(read("config/api-changes.yaml")).toContain(
      "- rule: field-removed\n  path: .spec.foo\n  reason: nothing read it\n",
    );
    const again = await check();
    expect(again.code).toBe(0);
    expect(again.printed).toContain(
      "allowed: orders.apps.example.com/v1.spec.foo: the field was removed (field-removed)\n    nothing read it",
    );
    edit("export interface OrderSpec {", "export interface OrderSpec {\n  foo?: string;");
    expect((await check()).printed).toContain(
      "warning: config/api-changes.yaml allows field-removed at .spec.foo, and there is no such change",
    );
  });

  test("refuses an allowance for nothing, without a reason, or of no class", async () => {
    edit("foo?: string;", "");
    const before = snapshot();
    await expect(check("--allow", "field-removed")).rejects.toMatchObject({
      message: "--allow needs a reason",
    });
    await expect(check("--allow", "field-remove", "--reason", "x")).rejects.toMatchObject({
      hint: 'did you mean "field-removed"?',
    });
    await expect(check("--allow", "field-removed=.spec.bar", "--reason", "x")).rejects.toMatchObject({
      message: 'there is no change field-removed at ".spec.bar"',
      hint: "the places of such changes are: .spec.foo",
    });
    expect(snapshot()).toEqual(before);
  });

  test("is what doctor names: the last release, or that there is none", async () => {
    const doctor = async (): Promise<string> => {
      const printed: string[] = [];
      const ui = {
        print: (text: string) => void printed.push(text),
        note: () => undefined,
        isInteractive: false,
      };
      await dispatch(["doctor"], folder.root, ui, goldenHost);
      return printed.join("\n");
    };
    expect(await doctor()).toContain("+ api check: the API is compared with v1.0.0");
    git("tag", "--delete", "v1.0.0");
    expect(await doctor()).toContain(
      "- api check: no version has been released that the API could be compared with",
    );
  });

  test("runs no program that the repository's settings name", async () => {
    const mark = join(folder.root, "ran");
    writeFileSync(join(folder.root, ".gitattributes"), "*.yaml filter=evil diff=evil export-subst\n");
    git("add", "--all");
    git("commit", "--quiet", "--message", "third");
    for (const setting of [
      "filter.evil.smudge",
      "filter.evil.clean",
      "diff.evil.textconv",
      "diff.external",
      "core.fsmonitor",
      "core.pager",
      "core.sshCommand",
    ])
      git("config", setting, `touch ${mark}; cat`);
    const before = snapshot();
    expect((await check("--against", "HEAD")).code).toBe(0);
    expect(snapshot()).toEqual(before);
  });

  test("refuses what is no ref, and an option instead of one", async () => {
    await expect(check("--against", "v9.9.9")).rejects.toMatchObject({
      message: '"v9.9.9" is neither a file, a folder nor a git ref',
    });
    await expect(check("--against=--output=/tmp/x")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("api check", () => {
  test("compares with a folder, a file, and another copy of the project", async () => {
    const crd = "config/crd/bases/apps.example.com_orders.yaml";
    const foreign = readFileSync(join(folder.root, crd), "utf8").replaceAll(
      "apps.example.com",
      "other.example.org",
    );
    mkdirSync(join(folder.root, "released/crds"), { recursive: true });
    cpSync(join(folder.root, crd), join(folder.root, "released/crds/orders.yaml"));
    writeFileSync(
      join(folder.root, "install.yaml"),
      `kind: Namespace\napiVersion: v1\nmetadata: { name: a }\n${read(crd).startsWith("---") ? "" : "---\n"}${read(crd)}\n${foreign}`,
    );
    edit("foo?: string;", "");
    for (const place of ["released", "install.yaml", "released/crds/orders.yaml"]) {
      const { code, printed } = await check("--against", place);
      expect([code, printed.match(/\(([a-z-]+)\)$/gm)]).toEqual([1, ["(field-removed)"]]);
    }
  });

  test("compares with a chart, packed or not, and with a bundle, which says nothing about conversions", async () => {
    const crd = "config/crd/bases/apps.example.com_orders.yaml";
    await call("chart");
    const write = (path: string, text: string): void => {
      mkdirSync(dirname(join(folder.root, path)), { recursive: true });
      writeFileSync(join(folder.root, path), text);
    };
    const template = read("dist/chart/templates/crd/orders.apps.example.com.yaml");
    expect(template).toContain("{{- if .Values.crd.keep }}");
    const packed = writeTarball([{ path: "templates/crd.yaml", content: Buffer.from(template) }]);
    writeFileSync(join(folder.root, "chart.tgz"), packed);
    write("bundle/manifests/orders.yaml", read(crd));
    write("bundle/metadata/annotations.yaml", "annotations: {}\n");
    edit("foo?: string;", "");
    for (const place of ["dist/chart", "chart.tgz", "bundle"]) {
      const { code, printed } = await check("--against", place);
      expect([code, printed.match(/\(([a-z-]+)\)$/gm)]).toEqual([1, ["(field-removed)"]]);
    }
    writeFileSync(join(folder.root, "chart.tgz"), packed.subarray(0, packed.length - 40));
    await expect(check("--against", "chart.tgz")).rejects.toMatchObject({
      message: '"chart.tgz" is not a gzipped tarball',
    });
  });

  test("says what is missing where nothing was released", async () => {
    await expect(check()).rejects.toMatchObject({
      message:
        "there is no released version to compare with: neither the current commit nor one before it has a tag such as v1.0.0",
    });
    await expect(check("--against", "api")).rejects.toMatchObject({
      message: '"api" contains no CustomResourceDefinition',
    });
  });

  describe("for code scanning", () => {
    /** What the tests read of a SARIF log. */
    interface Log {
      readonly version: string;
      readonly runs: readonly [{ results: Result[]; tool: { driver: { rules: { id: string }[] } } }];
    }

    interface Result {
      readonly ruleId: string;
      readonly ruleIndex: number;
      readonly locations: readonly [
        {
          readonly physicalLocation: {
            readonly artifactLocation: { readonly uri: string };
            readonly region: { readonly startLine: number; readonly startColumn: number };
          };
        },
      ];
    }

    async function sarif(...words: string[]): Promise<{ code: number; log: Log }> {
      const { code, printed } = await check(...words, "--output", "sarif");
      return { code, log: JSON.parse(printed) as Log };
    }

    const placeOf = ({ locations: [{ physicalLocation: place }] }: Result) => [
      place.artifactLocation.uri,
      place.region.startLine,
      place.region.startColumn,
    ];

    test("places each change in the sources", async () => {
      cpSync(join(folder.root, "config/crd/bases"), join(folder.root, "released"), { recursive: true });
      edit("foo?: string;", "bar?: string;");
      const { code, log } = await sarif("--against", "released");
      const [{ results, tool }] = log.runs;
      expect([code, log.version, results.length]).toEqual([1, "2.1.0", 1]);
      expect(tool.driver.rules).toMatchObject([
        { id: "field-removed", shortDescription: { text: "the field was removed" } },
      ]);
      expect(results[0]).toMatchObject({ ruleId: "field-removed", ruleIndex: 0, level: "error" });
      expect(placeOf(results[0]!)).toEqual([typesFile, lineOf("bar?: string"), 3]);
      await expect(check("--output", "xml")).rejects.toMatchObject({
        message: 'the output format must be text, json or sarif, not "xml"',
      });
    });

    test("names files by their paths in the repository, of which the project is a folder", async () => {
      const repository = mkdtempSync(join(tmpdir(), "tsbuilder-repository-"));
      onTestFinished(() => rmSync(repository, { recursive: true, force: true }));
      const project = join(repository, "operators/the shop#1");
      cpSync(folder.root, project, { recursive: true });
      execFileSync("git", ["init", "--quiet"], { cwd: repository });
      cpSync(join(project, "config/crd/bases"), join(project, "released"), { recursive: true });
      const types = join(project, typesFile);
      writeFileSync(types, readFileSync(types, "utf8").replace("foo?: string;", "bar?: string;"));
      const printed: string[] = [];
      const ui = {
        print: (text: string) => void printed.push(text),
        note: () => undefined,
        isInteractive: false,
      };
      const words = ["api", "check", "--against", "../released", "--sarif"];
      expect(await dispatch(words, join(project, "api"), ui, goldenHost)).toBe(1);
      const [{ results }] = (JSON.parse(printed.join("\n")) as Log).runs;
      expect(placeOf(results[0]!)[0]).toBe("operators/the%20shop%231/api/v1/order_types.ts");
    });

    test("places a kind that is gone in PROJECT, because a result without a place is refused", async () => {
      cpSync(join(folder.root, "config/crd/bases"), join(folder.root, "released"), { recursive: true });
      await call("create api --group apps --version v1 --kind Parcel");
      await call("delete api --group apps --version v1 --kind Order");
      const { log } = await sarif("--against", "released");
      const [{ results }] = log.runs;
      expect(results.map((result) => [result.ruleId, ...placeOf(result)])).toEqual([
        ["crd-removed", "PROJECT", 1, 1],
      ]);
    });
  });

  test("reports for programs", async () => {
    cpSync(join(folder.root, "config/crd/bases"), join(folder.root, "released"), { recursive: true });
    edit("foo?: string;", "bar?: string;");
    const { printed } = await check("--against", "released", "--output", "json");
    const { apiChanges } = JSON.parse(printed) as { apiChanges: Record<string, unknown>[] };
    const change = apiChanges.find(({ rule }) => rule === "field-removed");
    expect(change).toMatchObject({
      rule: "field-removed",
      severity: "error",
      breaks: ["stored objects", "clients", "appliers"],
      crd: "orders.apps.example.com",
      version: "v1",
      path: ".spec.foo",
      position: { file: typesFile, line: lineOf("bar?: string") },
      witness: { outcome: "lost", object: { spec: { foo: "a" } } },
    });
  });
});
