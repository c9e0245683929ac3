import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { planManifests } from "../../../src/generators/manifests.ts";
import { memoryTree } from "../../../src/scaffold/tree.ts";
import { type Mistake, mistakes } from "./mistakes.ts";

const root = resolve(import.meta.dirname, "../../..");
const scaffolded = join(root, "e2e/golden/app-operator");
const run = execa({ cwd: root, preferLocal: true, reject: false, all: true });

/** A folder in the repository, where packages are found, with a project for each mistake and for each right operator. */
let folder: string;
let types: string;
let lint: string;

beforeAll(async () => {
  folder = await mkdtemp(join(root, "e2e/lab/defects/.mistakes-"));
  for (const operator of new Set(mistakes.map((mistake) => mistake.operator)))
    await write(operator, await readOperator(operator));
  for (const [index, mistake] of mistakes.entries()) await write(`${index}`, await withMistake(mistake));
  const scaffold = JSON.parse(await readFile(join(scaffolded, "tsconfig.json"), "utf8")) as {
    compilerOptions: object;
  };
  const compilerOptions = { ...scaffold.compilerOptions, customConditions: ["@tsbuilder/source"] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["**/*.ts"] }));
  const rules = await readFile(join(scaffolded, ".oxlintrc.json"), "utf8");
  await writeFile(join(folder, ".oxlintrc.json"), rules.replace("./node_modules", `${root}/node_modules`));
  types = (await run`node node_modules/typescript-native/bin/tsc -p ${folder}`).all;
  lint = (
    await run`oxlint --type-aware --deny-warnings --format unix -c ${join(folder, ".oxlintrc.json")} ${folder}`
  ).all;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test.each([...new Set(mistakes.map(({ operator }) => operator))])("%s is right", async (operator) => {
  expect(await findingsOf(operator, await readOperator(operator))).toEqual({
    types: false,
    lint: false,
    manifests: false,
  });
});

test.each(mistakes.map((mistake, index) => ({ ...mistake, index })))("$name", async (mistake) => {
  const { index } = mistake;
  const found = await findingsOf(`${index}`, await withMistake(mistake));
  const [first = "nothing"] = Object.entries(found).flatMap(([by, isFound]) => (isFound ? [by] : []));
  expect(first).toBe(mistake.caughtBy);
});

test("at least 23 of 25 mistakes are caught before anything runs", () => {
  expect(mistakes).toHaveLength(25);
  expect(mistakes.filter(({ caughtBy }) => caughtBy !== "nothing").length).toBeGreaterThanOrEqual(23);
});

type Sources = Readonly<Record<string, string>>;

/** Returns which tools find something in a project, in the order in which a user meets them. */
async function findingsOf(name: string, sources: Sources) {
  const isAbout = (text: string): boolean => text.includes(`${folder.slice(root.length + 1)}/${name}/`);
  const { diagnostics } = await planManifests(memoryTree(inApi(sources)));
  return { types: isAbout(types), lint: isAbout(lint), manifests: diagnostics.length > 0 };
}

async function readOperator(operator: string): Promise<Sources> {
  const path = join(import.meta.dirname, "operators", operator);
  const names = (await readdir(path)).filter((name) => /^\w.*\.ts$/u.test(name) && name !== "exam.ts");
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(path, name), "utf8")] as const)),
  );
}

async function withMistake({ name, operator, file, right, wrong, imports = "" }: Mistake): Promise<Sources> {
  const sources = await readOperator(operator);
  const text = sources[file] ?? "";
  if (text.split(right).length !== 2) throw new Error(`${name}: ${file} must contain this once:\n${right}`);
  return { ...sources, [file]: `${imports}\n${text.replace(right, () => wrong)}` };
}

function inApi(sources: Sources): Record<string, string> {
  return Object.fromEntries(Object.entries(sources).map(([name, text]) => [`api/${name}`, text]));
}

async function write(name: string, sources: Sources): Promise<void> {
  await mkdir(join(folder, name));
  for (const [file, text] of Object.entries(sources)) await writeFile(join(folder, name, file), text);
}
