import { basename } from "node:path";
import { matchesRequirements, parseLabelSelector } from "@tsbuilder/apimachinery/selector";
import type { Tree } from "../../scaffold/tree.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { bundleFolders } from "../bundle-format.ts";
import { type Located, readDocuments } from "../located.ts";

export interface TestResult {
  readonly name: string;
  /** The test has ended: `error` if it could not be carried out. */
  readonly state: "pass" | "fail" | "error";
  readonly errors: readonly string[];
  readonly suggestions: readonly string[];
}

/** A test in the configuration of a scorecard. */
export interface ScorecardTest {
  readonly image: string;
  readonly entrypoint: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

export interface TestWithResults extends ScorecardTest {
  readonly results: readonly TestResult[];
}

/** Makes a result: `fail` if there are errors. */
export function resultOf(
  name: string,
  errors: readonly string[],
  suggestions: readonly string[] = [],
): TestResult {
  return { name, state: errors.length > 0 ? "fail" : "pass", errors, suggestions };
}

/** The folder of a project's own tests of its bundle. */
const customTests = "test/scorecard";

/** Finds the project's own tests: each file in the folder is one, and needs no registration. */
export function findCustomTests(tree: Tree): ScorecardTest[] {
  return tree
    .list(customTests)
    .filter((path) => path.endsWith(".test.ts"))
    .map((path) => ({
      image: "",
      entrypoint: ["vitest", path],
      labels: { suite: "custom", test: basename(path, ".test.ts") },
    }));
}

/** Returns the file of a test of the project; undefined for other tests. */
export function customTestFile({ image, entrypoint: [program, path] }: ScorecardTest): string | undefined {
  return image === "" && program === "vitest" ? path : undefined;
}

/** The outcome of one test in a file, with the messages of its failures. */
interface Outcome {
  readonly name: string;
  readonly messages: readonly string[];
}

/** Adds the results of a file of tests, one for each of its tests. */
export function withOutcomes(
  test: ScorecardTest,
  { outcomes, skipped }: { readonly outcomes: readonly Outcome[]; readonly skipped: number },
): TestWithResults {
  const results = outcomes.map(({ name, messages }) => resultOf(name, messages));
  if (results.length > 0) return { ...test, results };
  if (skipped > 0) {
    return {
      ...test,
      results: [resultOf(test.labels["test"]!, [], [`all of its tests are skipped: ${skipped}`])],
    };
  }
  const empty = resultOf(test.labels["test"]!, [`${customTestFile(test)} has no tests`]);
  return { ...test, results: [{ ...empty, state: "error" }] };
}

const scorecardApiVersion = "scorecard.operatorframework.io/v1alpha3";
const configFile = "config.yaml";

/** Reads the tests in the configuration of a bundle's scorecard, in the order of its stages. */
export function readTests(tree: Tree, folder: string, configPath: string | undefined): ScorecardTest[] {
  const path = configPath ?? `${folder}/${bundleFolders.tests}${configFile}`;
  const text = tree.read(path);
  if (text === undefined) {
    const hint = "tsbuilder bundle writes it; or name another file with --config";
    throw new TsbuilderError(`the bundle has no tests: "${path}" is missing`, { code: "NOT_FOUND", hint });
  }
  const documents = readDocuments(path, text);
  if (documents instanceof TsbuilderError) throw documents;
  const [config] = documents;
  if (config?.get("apiVersion").text !== scorecardApiVersion || config.get("kind").text !== "Configuration") {
    throw invalidConfig(`"${path}" is not the configuration of a scorecard`, path, config);
  }
  return config
    .get("stages")
    .items.flatMap((stage) => stage.get("tests").items.map((test) => readTest(test, path)));
}

function readTest(test: Located, path: string): ScorecardTest {
  const entrypoint = test.get("entrypoint").texts;
  if (entrypoint.length === 0) throw invalidConfig(`${test.path} in "${path}" has no entrypoint`, path, test);
  const labels = test.get("labels").entries.map(([key, value]) => [key, String(value.value)] as const);
  return { image: test.get("image").text ?? "", entrypoint, labels: Object.fromEntries(labels) };
}

function invalidConfig(message: string, path: string, place: Located | undefined): TsbuilderError {
  const hint = `its apiVersion is ${scorecardApiVersion}, its kind Configuration, and each test in its stages has an entrypoint: delete ${path}, and tsbuilder bundle writes it`;
  return new TsbuilderError(message, { code: "INVALID_SOURCE", hint, at: place?.at });
}

/** Returns a filter for tests by a label selector such as `suite=olm`. */
export function selectTests(selector: string): (test: ScorecardTest) => boolean {
  try {
    const requirements = parseLabelSelector(selector);
    return ({ labels }) => matchesRequirements(requirements, labels);
  } catch (error) {
    throw new TsbuilderError(`"${selector}" is not a label selector: ${(error as Error).message}`, {
      code: "INVALID_ARGUMENT",
      hint: "use --selector suite=olm, or test=olm-bundle-validation-test; --list shows the labels",
      cause: error,
    });
  }
}

export const outputFormats = ["text", "json", "xunit"] as const;

/** Formats tests and their results: for people, as operator-sdk's JSON, or as XML for CI systems. */
export function formatTests(
  tests: readonly TestWithResults[],
  format: (typeof outputFormats)[number],
): string {
  if (format === "json") return JSON.stringify(toTestList(tests), undefined, 2);
  return format === "xunit" ? formatXunit(tests) : formatText(tests);
}

/** Returns the list of tests in operator-sdk's format. */
function toTestList(tests: readonly TestWithResults[]): object {
  return {
    kind: "TestList",
    apiVersion: scorecardApiVersion,
    items: tests.map(({ results, ...spec }) => ({
      kind: "Test",
      apiVersion: scorecardApiVersion,
      spec,
      status: { results: results.map(toResult) },
    })),
  };
}

/** Returns a result in operator-sdk's format, without empty lists. */
function toResult({ name, state, errors, suggestions }: TestResult): object {
  return {
    name,
    state,
    ...(errors.length > 0 ? { errors } : {}),
    ...(suggestions.length > 0 ? { suggestions } : {}),
  };
}

function formatText(tests: readonly TestWithResults[]): string {
  const results = tests.flatMap((test) => test.results);
  if (results.length === 0) return tests.map(describeTest).join("\n") || "no tests are selected";
  const passed = results.filter(({ state }) => state === "pass").length;
  const counts = `${passed} passed, ${results.length - passed} failed`;
  return [...results.flatMap(describeResult), counts].join("\n");
}

function describeResult({ state, name, errors, suggestions }: TestResult): string[] {
  return [
    `${state}: ${name}`,
    ...errors.map((text) => `    ${indent(text)}`),
    ...suggestions.map((text) => `    suggestion: ${indent(text)}`),
  ];
}

function indent(text: string): string {
  return text.replaceAll("\n", "\n      ");
}

function describeTest({ entrypoint, labels }: ScorecardTest): string {
  const words = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return `${entrypoint.join(" ")}  ${words.join(",")}`;
}

function formatXunit(tests: readonly TestWithResults[]): string {
  const suites = tests.map(({ labels, image, entrypoint, results }, index) => {
    const name = labels["test"] ?? `testsuite-${String(index + 1).padStart(3, "0")}`;
    const count = (state: string): number => results.filter((one) => one.state === state).length;
    const properties = [
      ["spec.image", image],
      ["spec.entrypoint", entrypoint.join(" ")],
      ["labels.test", name],
    ].map(([key, value]) => `      <property name="${key}" value="${escapeXml(value!)}"></property>`);
    return [
      `  <testsuite name="${escapeXml(name)}" tests="${results.length}" skipped="0" failures="${count("fail")}" errors="${count("error")}">`,
      "    <properties>",
      ...properties,
      "    </properties>",
      ...results.map(formatCase),
      "  </testsuite>",
    ].join("\n");
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites name="scorecard">',
    ...suites,
    "</testsuites>",
  ].join("\n");
}

function formatCase({ name, state, errors, suggestions }: TestResult): string {
  const tag = { pass: undefined, fail: "failure", error: "error" }[state];
  return [
    `    <testcase name="${escapeXml(name)}">`,
    ...(tag === undefined
      ? []
      : [
          `      <${tag} type="${tag}" message="${escapeXml(errors[0] ?? "")}">${escapeXml(errors.join("\n"))}</${tag}>`,
        ]),
    ...(suggestions.length > 0
      ? [`      <system-out>${escapeXml(suggestions.join("\n"))}</system-out>`]
      : []),
    "    </testcase>",
  ].join("\n");
}

const xmlEntities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
};

/** Escapes a text for XML. Characters that XML can't contain, such as those of terminal colours, are left out. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\P{Cc}\t\n\r]|[\uFFFE\uFFFF]/gu, "")
    .replaceAll(/[&<>"\n]/gu, (one) => xmlEntities[one]!);
}
