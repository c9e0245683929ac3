import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compileSchema, type JSONSchema } from "@tsbuilder/apimachinery/schema";
import { describe, expect, test } from "vitest";
import { goldenHost } from "../../../e2e/golden/golden-projects.ts";
import { useProjectFolder } from "../../../e2e/support/projects/project-folder.ts";
import { errorCodes } from "../../shared/error-codes.ts";
import { commands } from "../commands/index.ts";
import { dispatch } from "../start/main.ts";
import { takeFormat } from "../arguments/command-line.ts";
import { systemCodes } from "./explain-error.ts";

const folder = useProjectFolder();
const document = readFileSync(join(import.meta.dirname, "../output.schema.json"), "utf8");
const schema = compileSchema(withoutReferences(document));

/** The schemas of CRDs, which our validator knows, have no `$ref`. */
function withoutReferences(text: string): JSONSchema {
  const { $defs, ...rest } = JSON.parse(text) as { $defs: { [name: string]: JSONSchema } };
  const inlined = JSON.stringify(rest).replaceAll(/\{"\$ref":"#\/\$defs\/(\w+)"\}/g, (_, name: string) =>
    JSON.stringify($defs[name]),
  );
  expect(inlined).not.toContain("$ref");
  return JSON.parse(inlined) as JSONSchema;
}

/** What a command prints, which must be one JSON document and nothing else. */
async function report(line: string): Promise<Record<string, unknown>> {
  const printed: string[] = [];
  const ui = {
    print: (text: string) => void printed.push(text),
    note: (text: string) => expect.unreachable(`noted: ${text}`),
    isInteractive: true,
  };
  const exitCode = await dispatch(line.split(" "), folder.root, ui, goldenHost);
  const read = JSON.parse(printed.join("\n")) as Record<string, unknown>;
  expect(read["exitCode"]).toBe(exitCode);
  expect(schema.validate(read)).toEqual([]);
  expect(schema.prune(structuredClone(read))).toMatchObject({ unknown: [] });
  return read;
}

describe("--output json", () => {
  test("reports the plan of a command, and whether it was carried out", async () => {
    await folder.initialize();
    const api = "create api --group apps --version v1 --kind Order --make=false -o json";
    const planned = await report(`${api} --dry-run`);
    expect(planned).toMatchObject({ command: "create api", exitCode: 0, written: false });
    expect(planned["changes"]).toContainEqual({ action: "create", path: "api/v1/order_types.ts" });
    expect(existsSync(join(folder.root, "api/v1/order_types.ts"))).toBe(false);
    expect(await report(api)).toMatchObject({ written: true, changes: planned["changes"] });
    expect(existsSync(join(folder.root, "api/v1/order_types.ts"))).toBe(true);
  });

  test("reports an error with its code and hint, and never prompts", async () => {
    expect(await report("delete api --group a --version v1 --kind A --output=json")).toMatchObject({
      exitCode: 1,
      error: { code: "NOT_A_PROJECT" },
    });
    await folder.initialize();
    expect(await report("create api --output json --group apps")).toEqual({
      command: "create api",
      exitCode: 1,
      error: {
        code: "MISSING_ANSWER",
        message: "tsbuilder create api needs --version, --kind",
        hint: "add --version VERSION --kind KIND",
      },
      output: [],
      notes: [],
    });
    expect(await report("doctor --nosuch -o json")).toMatchObject({ error: { code: "INVALID_ARGUMENT" } });
  });

  test("reports what is wrong with a bundle", async () => {
    expect(await report("bundle validate . --output json")).toMatchObject({
      exitCode: 1,
      problems: [
        { rule: "csv-missing", severity: "error", position: { line: 1 } },
        { rule: "annotations-missing", severity: "error", position: { file: "metadata/annotations.yaml" } },
      ],
    });
  });

  test("reports a damaged PROJECT, also of commands that take flags of plugins", async () => {
    await folder.initialize();
    writeFileSync(join(folder.root, "PROJECT"), "plugins: [");
    const { error } = await report("create api --group apps --version v1 --kind Order -o json");
    expect(error).toMatchObject({ code: "INVALID_PROJECT" });
  });

  test("reports where errors are", async () => {
    await folder.initialize();
    await folder.call("create api --group apps --version v1 --kind Order --make=false");
    const file = join(folder.root, "api/v1/order_types.ts");
    writeFileSync(file, readFileSync(file, "utf8").replace("foo?: string;", "foo?: Date;"));
    expect(await report("manifests -o json")).toMatchObject({
      error: {
        code: "INVALID_SOURCE",
        problems: [
          { message: expect.stringContaining("Date") as string, position: { file: "api/v1/order_types.ts" } },
        ],
      },
    });
  });

  test("reports the findings of doctor", async () => {
    const { findings } = await report("doctor --output json");
    expect(findings).toContainEqual(expect.objectContaining({ subject: "node", state: "good" }));
  });

  test.each(commands.map((entry) => [entry.name, entry] as const))(
    "%s has one way to say so",
    async (_, entry) => {
      const command = await entry.load();
      const owns = Object.hasOwn(command.flags, "output");
      const typed = ["-o", "json", "--output", "json"];
      const { rest, isJson } = takeFormat([...typed, "--", "-o", "json"], command);
      expect(isJson).toBe(!command.streams);
      const own = command.streams ? typed : owns ? ["--output", "json"] : [];
      expect(rest).toEqual([...own, "--", "-o", "json"]);
    },
  );

  test.each(["-o json", "-ojson", "-o=json", "--output json", "--output=json"])("takes %s", async (flag) => {
    expect(await report(`version ${flag}`)).toMatchObject({ versions: { kubernetes: "1.36" } });
  });

  test("leaves flags alone that begin alike", () => {
    expect(takeFormat(["--output-crd", "json"], { flags: {} })).toEqual({
      rest: ["--output-crd", "json"],
      isJson: false,
    });
  });

  test("reports a command that does not exist", async () => {
    expect(await report("creat api -o json")).toEqual({
      command: "",
      exitCode: 1,
      error: {
        code: "INVALID_ARGUMENT",
        message: 'unknown command "tsbuilder creat"',
        hint: 'did you mean "tsbuilder create api"?',
      },
      output: [],
      notes: [],
    });
  });

  test("reports the markers, whole", async () => {
    const { markers } = await report("manifests --markers=printcolumn -o json");
    expect(markers).toMatchObject([{ name: "kubebuilder:printcolumn", targets: "a type", forItems: false }]);
    expect(markers).toHaveProperty("0.arguments.2.name", "JSONPath");
  });

  test("refuses what would never end", async () => {
    await folder.initialize();
    expect(await report("manifests --watch -o json")).toMatchObject({
      error: { code: "INVALID_ARGUMENT", message: "--watch and --output json are mutually exclusive" },
    });
  });

  test.each(
    ["run", "test", "cluster start"].flatMap((name) =>
      ["-o json", "-ojson", "-o=json", "--output json", "--output=json"].map((flag) => [name, flag] as const),
    ),
  )("%s %s says that the command has no report", async (name, flag) => {
    await expect(folder.call(`${name} ${flag}`)).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: `tsbuilder ${name} has no report for programs`,
      hint: `omit ${flag.startsWith("--") ? "--output" : "-o"}: the command prints what happens while it runs`,
    });
  });

  test.each(["-o json", "-ojson", "-o=json", "--output json", "--output=json"])(
    "dev %s prints lines, and nothing for people",
    async (flag) => {
      await expect(folder.call(`dev ${flag} --plain`)).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
        message: "--plain and --output json are mutually exclusive",
      });
    },
  );

  test("knows all codes", () => {
    const { properties } = withoutReferences(document);
    const known = properties?.["error"]?.properties?.["code"]?.enum;
    expect(known).toEqual([...Object.keys(errorCodes), ...Object.keys(systemCodes), "INTERNAL"]);
  });

  test("refuses other formats", async () => {
    await expect(folder.call("doctor -o yaml")).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });
});

describe("explain", () => {
  test("lists all codes, and says of each what to do", async () => {
    const list = await folder.call("explain");
    for (const [code, { meaning, remedy }] of Object.entries(errorCodes)) {
      expect(list).toContain(code);
      expect(await folder.call(`explain ${code.toLowerCase()}`)).toBe(`${code}\n\n${meaning}\n${remedy}`);
    }
  });

  test("knows each code that a report may have, those of the file system and of bugs, too", async () => {
    const { properties } = withoutReferences(document);
    const codes = properties?.["error"]?.properties?.["code"]?.enum as string[];
    const list = await folder.call("explain");
    expect(codes.filter((code) => !list.includes(`${code} `))).toEqual([]);
    for (const code of codes) expect(await folder.call(`explain ${code}`)).toContain(`${code}\n\n`);
    expect(await folder.call("explain enotdir")).toBe(
      "ENOTDIR\n\nA file or folder is inside of a file, but a folder is expected.\nMove the file away.",
    );
  });

  test("says all of it at once, to programs too", async () => {
    const { codes } = await report("explain --all -o json");
    expect(codes).toContainEqual({ code: "NOT_A_PROJECT", ...errorCodes.NOT_A_PROJECT });
    expect((codes as { code: string }[]).map(({ code }) => code)).toEqual(
      (await folder.call("explain")).split("\n").map((line) => line.split(" ")[0]),
    );
    expect(await report("explain not-a-project -o json")).toMatchObject({
      codes: [{ code: "NOT_A_PROJECT", ...errorCodes.NOT_A_PROJECT }],
    });
    expect(await folder.call("explain --all")).toContain("\n\nNOT_FOUND\n\nA file, kind");
    expect((await report("explain --all NOT_FOUND -o json"))["error"]).toMatchObject({
      code: "INVALID_ARGUMENT",
    });
  });

  test("explains the code of a write that failed", async () => {
    await folder.initialize();
    writeFileSync(join(folder.root, "api"), "");
    const { error } = await report("create api --group apps --version v1 --kind Order --make=false -o json");
    expect(error).toMatchObject({ code: expect.stringMatching(/^E[A-Z]+$/u) as string });
    const { code } = error as { code: string };
    expect(await folder.call(`explain ${code}`)).toContain("A file or folder ");
  });

  test("suggests a code", async () => {
    await expect(folder.call("explain REFUSE")).rejects.toMatchObject({ hint: 'did you mean "REFUSED"?' });
    await expect(folder.call("explain x1")).rejects.toMatchObject({
      hint: expect.stringContaining("list") as string,
    });
  });
});
