import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import {
  optionsFor,
  readExamples,
  runExample,
  sha256,
  yamlOf,
  runMarkerExample,
} from "../../../../src/generators/testdata/example.ts";
import { emitFile } from "../../../../src/generators/model/emit.ts";
import {
  controllerGenVersion,
  findControllerGen,
  type GoTwin,
  runControllerGen,
  runMarkers,
} from "./go-twin.ts";

// Compares our output with controller-gen's for all conformance examples that have a Go twin, byte for byte.
// With --record the YAML blocks of the examples are rewritten from controller-gen's output.

const folder = join(import.meta.dirname, "../../../../src/generators/conformance/testdata");
const isRecording = process.argv.includes("--record");

const binary = findControllerGen();
if (!binary) {
  console.log("left out: controller-gen: Go, which installs it, was not found");
  process.exit(0);
}

interface Case extends GoTwin {
  readonly file: string;
  readonly title: string;
  readonly ts: string;
  readonly info: string;
}

const cases: Case[] = [];
const files = readdirSync(folder)
  .filter((file) => file.endsWith(".md"))
  .sort();
for (const file of files) {
  for (const { title, blocks } of readExamples(readFileSync(join(folder, file), "utf8"))) {
    const go = blocks.find(({ language }) => language === "go");
    const ts = blocks.find(({ language }) => language === "ts");
    if (!go || !ts) continue;
    const name = `case${String(cases.length).padStart(3, "0")}`;
    const info = blocks.find(({ language }) => language === "yaml")?.info ?? "";
    cases.push({ name, group: `${name}.example.com`, code: go.code, file, title, ts: ts.code, info });
  }
}

const crds = new Map<string, string>();
for (const isCore of [false, true]) {
  const some = cases.filter(({ file }) => (file === "core-types.md") === isCore);
  const run = runControllerGen(binary, some, isCore ? ":maxDescLen=0" : "");
  if (run.complaints) console.log(run.complaints);
  for (const [name, text] of run.crds) crds.set(name, text);
}
const versionAnnotation = { key: "controller-gen.kubebuilder.io/version", value: controllerGenVersion };
const recorded = new Map<string, string>();
let equal = 0;
let different = 0;
for (const { name, group, title, ts, file, info } of cases) {
  const theirs = crds.get(name);
  const { crd, diagnostics } = await runExample(ts, { ...optionsFor(file), versionAnnotation }, group);
  const ours = crd ? emitFile([crd], {}) : diagnostics.map(({ message }) => message).join("\n");
  if (theirs !== undefined) recorded.set(`${file}\0${title}`, blockOf(theirs, name, info));
  if (theirs !== undefined && theirs === ours) equal++;
  else {
    different++;
    console.log(`\nDIFFERENT ${file}: ${title}`);
    printDifference(theirs ?? "(controller-gen wrote nothing)", ours);
  }
}
for (const file of ["roles.md", "webhooks.md"]) {
  for (const { title, blocks } of readExamples(readFileSync(join(folder, file), "utf8"))) {
    const code = blocks.find(({ language }) => language === "ts")?.code ?? "";
    const theirs = runMarkers(binary, code, file === "roles.md" ? "rbac:roleName=manager-role" : "webhook");
    const ours = await runMarkerExample(code);
    recorded.set(`${file}\0${title}`, theirs);
    if (theirs === ours) equal++;
    else {
      different++;
      console.log(`\nDIFFERENT ${file}: ${title}`);
      printDifference(theirs, ours);
    }
  }
}
if (isRecording) for (const file of files) rewrite(file);
console.log(`\n${equal} equal to controller-gen ${controllerGenVersion}, ${different} different`);
process.exitCode = different > 0 ? 1 : 0;

function blockOf(text: string, name: string, info: string): string {
  const crd = parse(text.replaceAll(`${name}.`, ""), { version: "1.1", intAsBigInt: true }) as {
    metadata: { annotations?: Record<string, string> };
    spec: { versions: { schema: { openAPIV3Schema: { properties: Record<string, object> } } }[] };
  };
  const root = crd.spec.versions[0]!.schema.openAPIV3Schema;
  if (info === "sha256") return sha256(yamlOf(root.properties["spec"]));
  if (info === "") return yamlOf(root.properties["spec"]);
  delete crd.metadata.annotations?.[versionAnnotation.key];
  if (Object.keys(crd.metadata.annotations ?? {}).length === 0) delete crd.metadata.annotations;
  for (const version of crd.spec.versions) {
    for (const key of ["apiVersion", "kind"])
      version.schema.openAPIV3Schema.properties[key] = { type: "string" };
  }
  return yamlOf(crd);
}

function rewrite(file: string): void {
  const path = join(folder, file);
  const sections = readFileSync(path, "utf8").split(/^(?=#{2,3} )/mu);
  const written = sections.map((section) => {
    const title = section.slice(section.indexOf(" ") + 1, section.indexOf("\n")).trim();
    const yaml = recorded.get(`${file}\0${title}`);
    if (yaml === undefined) return section;
    if (/^```yaml/mu.test(section)) {
      return section.replace(
        /^(```yaml[^\n]*\n)[\s\S]*?^```$/mu,
        (_, fence: string) => `${fence}${yaml}\`\`\``,
      );
    }
    return `${section.trimEnd()}\n\n\`\`\`yaml\n${yaml}\`\`\`\n\n`;
  });
  writeFileSync(path, `${written.join("").trimEnd()}\n`);
}

function printDifference(theirs: string, ours: string): void {
  const [left, right] = [theirs.split("\n"), ours.split("\n")];
  const at = left.findIndex((line, i) => line !== right[i]);
  for (const line of left.slice(Math.max(0, at - 2), at + 5)) console.log(`  theirs ${line}`);
  for (const line of right.slice(Math.max(0, at - 2), at + 5)) console.log(`  ours   ${line}`);
}
