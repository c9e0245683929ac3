import { type ScorecardTest, type TestResult, type TestWithResults, toTestList } from "./test-list.ts";

export const outputFormats = ["text", "json", "xunit"] as const;

/** Formats tests and their results: for people, as operator-sdk's JSON, or as XML for CI systems. */
export function formatTests(
  tests: readonly TestWithResults[],
  format: (typeof outputFormats)[number],
): string {
  if (format === "json") return JSON.stringify(toTestList(tests), undefined, 2);
  return format === "xunit" ? formatXunit(tests) : formatText(tests);
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
    ].map(([key, value]) => `      <property name="${key}" value="${escape(value!)}"></property>`);
    return [
      `  <testsuite name="${escape(name)}" tests="${results.length}" skipped="0" failures="${count("fail")}" errors="${count("error")}">`,
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
    `    <testcase name="${escape(name)}">`,
    ...(tag === undefined
      ? []
      : [
          `      <${tag} type="${tag}" message="${escape(errors[0] ?? "")}">${escape(errors.join("\n"))}</${tag}>`,
        ]),
    ...(suggestions.length > 0 ? [`      <system-out>${escape(suggestions.join("\n"))}</system-out>`] : []),
    "    </testcase>",
  ].join("\n");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
};

/** Escapes a text for XML. Characters that XML can't contain, such as those of terminal colours, are left out. */
function escape(text: string): string {
  return text
    .replaceAll(/[^\P{Cc}\t\n\r]|[\uFFFE\uFFFF]/gu, "")
    .replaceAll(/[&<>"\n]/gu, (one) => entities[one]!);
}
