import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { emitYaml, type YamlValue } from "@tsbuilder/apimachinery/yaml";

const program = `package main

import (
	"bufio"
	"encoding/json"
	"os"

	yaml "go.yaml.in/yaml/v2"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<20), 1<<24)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var value interface{}
		if err := yaml.Unmarshal(lines.Bytes(), &value); err != nil {
			// JSON that go-yaml itself can't read is no test of its output.
			out.Encode(nil)
			continue
		}
		text, err := yaml.Marshal(value)
		if err != nil {
			panic(err)
		}
		out.Encode(string(text))
	}
}
`;

/** Builds the program that prints each line of JSON as go-yaml writes it; returns the reason if Go is missing. */
function buildPrinter(): { readonly binary: string } | { readonly missing: string } {
  const folder = join(homedir(), ".cache", "tsbuilder", "go-yaml");
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "go.mod"), "module printer\n\ngo 1.24\n\nrequire go.yaml.in/yaml/v2 v2.4.3\n");
    writeFileSync(join(folder, "main.go"), program);
    const run = (...args: string[]): void => {
      execFileSync("go", args, { cwd: folder, env: { ...process.env, GOFLAGS: "-mod=mod" }, stdio: "pipe" });
    };
    run("mod", "tidy");
    run("build", "-o", "printer", ".");
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

const printer = buildPrinter();
if ("missing" in printer) console.log(`left out: go-yaml: ${printer.missing}`);

test.skipIf("missing" in printer)("emitYaml() writes what go-yaml v2 writes, byte for byte", () => {
  if ("missing" in printer) return;
  const text = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join(""));
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
  const input = values.map((value) => `${escaped(JSON.stringify(value))}\n`).join("");
  const printed = execFileSync(printer.binary, { input, encoding: "utf8", maxBuffer: 1e9 })
    .trim()
    .split("\n");
  expect(printed).toHaveLength(values.length);
  const compared = values.filter((_, i) => printed[i] !== "null");
  expect(compared.length).toBeGreaterThan(values.length / 2);
  expect(compared.map((value) => emitYaml(value))).toEqual(
    printed.filter((line) => line !== "null").map((line) => JSON.parse(line) as string),
  );
});
