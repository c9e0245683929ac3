import { createHash } from "node:crypto";
import { type YamlValue, emitYaml } from "@tsbuilder/apimachinery/yaml";
import { parseAllDocuments } from "yaml";
import { compileValidator } from "@tsbuilder/apimachinery/cel";
import { formatFieldError } from "@tsbuilder/apimachinery/errors";
import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import { memoryTree } from "../../scaffold/tree.ts";
import { type CustomResourceDefinition, toJson } from "../crd/custom-resource-definition.ts";
import { type GeneratedCrd, generateCrds } from "../crd/generate-crds.ts";
import { type Diagnostic, DiagnosticLog } from "../model/diagnostic.ts";
import { planManifests } from "../manifests.ts";
import type { GeneratorOptions } from "../model/options.ts";
import { ProjectSources } from "../sources/project-sources.ts";
import type { Schema } from "../model/schema.ts";
import { checkCrd } from "../crd/check-crd.ts";

/** One section of a Markdown file of examples: its heading, and its code blocks by language. */
export interface Example {
  readonly title: string;
  readonly blocks: readonly CodeBlock[];
}

/** A fenced block; the info string is its language and words behind it, such as `yaml crd`. */
export interface CodeBlock {
  readonly language: string;
  readonly info: string;
  readonly code: string;
}

/** Reads the sections of a Markdown file that have code. */
export function readExamples(markdown: string): Example[] {
  return markdown
    .split(/^#{2,3} /mu)
    .slice(1)
    .map((section) => {
      const blocks = [...section.matchAll(/^```(\w+) ?([^\n]*)\n([\s\S]*?)^```$/gmu)];
      return {
        title: section.slice(0, section.indexOf("\n")).trim(),
        blocks: blocks.map(([, language = "", info = "", code = ""]) => ({ language, info, code })),
      };
    })
    .filter(({ blocks }) => blocks.length > 0);
}

/** The generators or an API server reject the types of an example. */
class TypesError extends Error {
  override readonly name = "TypesError";
}

/** The errors of an API server for a spec; empty if it accepts it. */
type SpecValidator = (spec: unknown) => string[];

/** Makes a CRD of an example's types, and validates specs as an API server with this CRD does. Throws a TypesError. */
export async function specValidator(code: string, options: GeneratorOptions = {}): Promise<SpecValidator> {
  const { generated, diagnostics } = await runExample(code, options);
  const log = new DiagnosticLog();
  if (generated) checkCrd(generated, log);
  const errors = [...diagnostics, ...log.sorted()].filter(({ severity }) => severity === "error");
  if (!generated || errors.length > 0) throw new TypesError(errors.map(({ message }) => message).join("\n"));
  const schema = toJson(generated.crd.spec.versions[0]!.schema.openAPIV3Schema) as JSONSchema;
  const compiled = compileValidator(schema);
  return (spec) => {
    const sent = { apiVersion: "example.com/v1", kind: "Case", metadata: { name: "case" }, spec };
    const stored = compiled.applyDefaults(compiled.prune(sent).object);
    return compiled.validate(stored).map(formatFieldError);
  };
}

/** The result of an example: its CRD, the schema of its `Spec`, and the findings. */
export interface ExampleResult {
  readonly generated: GeneratedCrd | undefined;
  readonly crd: CustomResourceDefinition | undefined;
  /** The schema of the type `Spec`. */
  readonly spec: Schema | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** Generates the CRD of an example: fields alone are those of `Spec`, and a kind is added where there is none. */
export async function runExample(
  code: string,
  options: GeneratorOptions = {},
  group = "example.com",
): Promise<ExampleResult> {
  const tree = memoryTree({
    "api/v1/groupversion_info.ts": `import type { GroupVersion } from "@tsbuilder/runtime";\nexport const groupVersion: GroupVersion = { group: "${group}", version: "v1" };\n`,
    "api/v1/case_types.ts": completeExample(code),
  });
  const sources = await ProjectSources.load(tree, options);
  const [generated] = generateCrds(sources);
  const root = generated?.crd.spec.versions[0]?.schema.openAPIV3Schema;
  return {
    generated,
    crd: generated?.crd,
    spec: root?.properties?.["spec"],
    diagnostics: sources.log.sorted(),
  };
}

/** Completes an example to a whole file. Additions follow it, so that markers keep their positions. */
function completeExample(code: string): string {
  const body = /\b(?:interface|type|class|enum) Spec\b|\bdefineKind</u.test(code)
    ? code
    : `export interface Spec {\n${code}}\n`;
  const used = runtimeNames.filter((name) => new RegExp(`\\b${name}\\b`, "u").test(body));
  const names = [...new Set(["defineKind", "CustomResource", ...used])].map((name) =>
    name === "defineKind" ? name : `type ${name}`,
  );
  const kind = /\bdefineKind</u.test(body)
    ? ""
    : 'export interface Case extends CustomResource<Spec> {}\nexport const Case = defineKind<Case>(groupVersion, { kind: "Case", plural: "cases" });\n';
  const modules = ["core", "apps", "batch", "networking"].filter((module) => body.includes(`${module}.`));
  const core = modules.map(
    (module) => `import type * as ${module} from "@tsbuilder/runtime/k8s/${module}/v1";\n`,
  );
  const imports = `${core.join("")}import { ${names.join(", ")} } from "@tsbuilder/runtime";\nimport { groupVersion } from "./groupversion_info.ts";\n`;
  return `${body}${kind}${imports}`;
}

const runtimeNames =
  "int32 int64 float64 Quantity IntOrString Time MicroTime Duration JSONValue RawExtension ObjectMeta TypeMeta Condition LabelSelector KubernetesObject OwnerReference".split(
    " ",
  );

/** Writes a value as the YAML block of an example. */
export function yamlOf(value: object | undefined): string {
  return value === undefined ? "" : emitYaml(value as YamlValue);
}

/** Writes the role or the webhook configurations of a file that holds markers, or the findings. */
export async function runMarkerExample(code: string): Promise<string> {
  const { changes, diagnostics } = await planManifests(
    memoryTree({ "src/controller/case_controller.ts": code }),
  );
  return changes[0]?.content ?? diagnostics.map(({ message }) => message).join("\n");
}

/** Stands for a schema that is too long to read: those of pods have more than a thousand nodes. */
export function sha256(text: string): string {
  return `${createHash("sha256").update(text).digest("hex")}\n`;
}

/** Descriptions of core types have the line breaks of the Go sources, which no published document has. */
export function optionsFor(page: string): GeneratorOptions {
  return page === "core-types.md" ? { maxDescLen: 0 } : {};
}

/** The result of a page's example: the properties of `Spec`, or the part that the word after `yaml` names. */
export async function runPageExample(
  code: string,
  info: string,
): Promise<{ readonly result: object | undefined; readonly diagnostics: readonly Diagnostic[] }> {
  if (info === "role" || info === "webhook") {
    const plan = await planManifests(memoryTree({ "src/controller/case_controller.ts": code }));
    const documents = parseAllDocuments(plan.changes[0]?.content ?? "", { version: "1.1" });
    const objects = documents.map((document) => document.toJS() as object);
    return { result: objects.length === 1 ? objects[0] : objects, diagnostics: plan.diagnostics };
  }
  const { crd, spec, diagnostics } = await runExample(code, { featureGates: [] });
  if (info === "spec") return { result: spec, diagnostics };
  if (info !== "crd") return { result: spec?.properties, diagnostics };
  const versions = crd?.spec.versions.map((version) => ({ ...version, schema: undefined }));
  return { result: crd && { ...crd, spec: { ...crd.spec, versions } }, diagnostics };
}
