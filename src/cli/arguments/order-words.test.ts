import { describe, expect, test } from "vitest";
import { goldenHost } from "../../../e2e/golden/golden-projects.ts";
import { useProjectFolder } from "../../../e2e/support/projects/project-folder.ts";
import { commands } from "../commands/index.ts";
import { complete } from "../completion/complete.ts";
import { dispatch } from "../start/main.ts";

const folder = useProjectFolder();

/** What a command line prints, notes, and ends with. */
async function run(line: string): Promise<unknown> {
  const said: string[] = [];
  const say = (text: string): void => void said.push(text.replaceAll(/ran in .* s:/gu, "ran:"));
  const ui = { print: say, note: say, isInteractive: false };
  return dispatch(line.split(" "), folder.root, ui, goldenHost).then(
    (exitCode) => ({ exitCode, said }),
    (error: Error) => ({ error: error.message, said: said.map((text) => text.split("\n")[0]) }),
  );
}

describe.each(commands.map(({ name }) => name))("%s", (name) => {
  const [first, ...others] = name.split(" ");

  test("takes flags of all commands before and within its name", async () => {
    const help = await run(`${name} --help`);
    expect(help).toMatchObject({ exitCode: 0 });
    expect(JSON.stringify(help)).toContain(`Usage: tsbuilder ${name}`);
    const within = [first, "--verbose", ...others].join(" ");
    for (const line of [`-h ${name}`, `${within} -h`, `--verbose help ${name}`, `help ${within}`])
      expect(await run(line)).toEqual(help);
  });

  test("takes the format before its name", async () => {
    const expected = await run(`${name} -o json --nosuch`);
    for (const flag of ["-o json", "--output json", "--output=json", "-o=json"])
      expect(await run(`${flag} ${name} --nosuch`)).toEqual(expected);
  });
});

test.each(["--verbose -o json --version", "--version -o json", "-o json -v", "version -o json"])(
  "%j is the command version",
  async (line) => expect(await run(line)).toEqual(await run("-o json version")),
);

test.each([
  ["--output yaml version", "the output format must be text or json"],
  ["--output", "the output format must be text or json"],
  ["--domain example.com init", "there is no flag --domain before a command"],
  ["--version v1 create api", "there is no flag --version before a command"],
  ["-- version", 'unknown command "tsbuilder --"'],
  ["--verbose creat api", 'unknown command "tsbuilder creat"'],
])("refuses %j", async (line, message) => {
  expect(await run(line)).toMatchObject({ error: expect.stringContaining(message) as string });
});

test("a file that a command writes is not the format", async () => {
  const given = await run("generate types --output json");
  expect(given).not.toEqual(await run("--output json generate types"));
});

test("completion knows them there, too", async () => {
  const words = async (...typed: string[]): Promise<string[]> =>
    (await complete(typed, folder.root)).map((line) => line.split("\t")[0]!);
  expect(await words("-")).toEqual(["--output", "--verbose"]);
  expect(await words("--verbose", "-")).toEqual(["--output"]);
  expect(await words("-o", "json", "--")).toEqual(["--verbose"]);
  expect(await words("--output", "")).toEqual(["text", "json"]);
  expect(await words("--verbose", "create", "")).toEqual(["api", "webhook"]);
  expect(await words("-o", "json", "create", "")).toEqual(["api", "webhook"]);
  expect(await words("--verbose", "init", "--license", "")).toEqual(["apache2", "copyright", "none"]);
});
