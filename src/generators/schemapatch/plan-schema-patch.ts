import { isMap, isScalar, isSeq, type Node, parseAllDocuments, type Pair, type YAMLMap } from "yaml";
import { emitYaml, type YamlValue } from "@tsbuilder/apimachinery/yaml";
import type { DiagnosticLog } from "../model/diagnostic.ts";
import { generateCrds } from "../crd/generate-crds.ts";
import type { ManifestsPlan, SourceTree } from "../model/files.ts";
import { type GeneratorOptions, projectOptions } from "../model/options.ts";
import { requirePath, ProjectSources } from "../sources/project-sources.ts";
import type { Schema } from "../model/schema.ts";

/**
 * Patches the schemas in CRDs that are maintained by hand. Everything else in the files is preserved byte for byte:
 * comments, the order of keys, fields without a marker. `folder` must exist; files in it that are no CRDs are skipped.
 */
export async function planSchemaPatch(
  tree: SourceTree,
  folder: string,
  options: GeneratorOptions = {},
): Promise<ManifestsPlan> {
  const sources = await ProjectSources.load(tree, { ...projectOptions(tree), ...options });
  const schemas = new Map<string, Schema>();
  for (const { crd } of sources.hasSyntaxErrors ? [] : generateCrds(sources)) {
    for (const { name, schema } of crd.spec.versions) {
      schemas.set(`${crd.spec.group}/${name}/${crd.spec.names.kind}`, schema.openAPIV3Schema);
    }
  }
  const changes = tree
    .list(requirePath(tree, folder))
    .filter((path) => /\.ya?ml$/u.test(path))
    .flatMap((path) => {
      const before = tree.read(path) ?? "";
      const content = patchSchemas(path, before, schemas, sources.log);
      return content === before ? [] : [{ path, content }];
    });
  return { changes: sources.log.hasErrors ? [] : changes, stale: [], diagnostics: sources.log.sorted() };
}

/** A range of a text to replace. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Returns a file with the schemas of known versions replaced. Reports a CRD that is no valid YAML. */
function patchSchemas(file: string, text: string, schemas: ReadonlyMap<string, Schema>, log: DiagnosticLog) {
  const edits: Edit[] = [];
  for (const document of parseAllDocuments(text)) {
    const [error] = document.errors;
    // Other files, such as templates of a chart, need not be valid YAML.
    if (error && text.includes("CustomResourceDefinition")) {
      // The parser's own message would name its stack.
      const message =
        error.code === "RESOURCE_EXHAUSTION"
          ? "brackets are nested too deeply"
          : error.message.split("\n")[0]!;
      const place = { module: { file, text }, pos: error.pos[0] };
      log.error(place, message, "fix the YAML, or move the file elsewhere");
    }
    if (error || document.get("kind") !== "CustomResourceDefinition") continue;
    const group = document.getIn(["spec", "group"]);
    const kind = document.getIn(["spec", "names", "kind"]);
    const versions = document.getIn(["spec", "versions"]);
    for (const version of isSeq(versions) ? versions.items : []) {
      if (!isMap(version)) continue;
      const schema = schemas.get(`${String(group)}/${String(version.get("name"))}/${String(kind)}`);
      const pair = schema && findPair(version, "schema", "openAPIV3Schema");
      if (schema && pair) edits.push(replaceValue(text, pair, schema));
    }
  }
  return edits
    .sort((a, b) => b.start - a.start)
    .reduce((edited, { start, end, text }) => edited.slice(0, start) + text + edited.slice(end), text);
}

function findPair(map: YAMLMap, ...path: readonly string[]): Pair<Node, Node> | undefined {
  const [key, ...rest] = path;
  const pair = map.items.find((item) => isScalar(item.key) && item.key.value === key);
  if (!pair || rest.length === 0) return pair as Pair<Node, Node> | undefined;
  return isMap(pair.value) ? findPair(pair.value, ...rest) : undefined;
}

function replaceValue(text: string, { key, value }: Pair<Node, Node>, schema: Schema): Edit {
  const [keyStart, keyEnd] = key.range!;
  const column = keyStart - (text.lastIndexOf("\n", keyStart - 1) + 1);
  const start = text.indexOf(":", keyEnd) + 1;
  const end = value?.range ? trimmedEnd(text, value.range[1]) : start;
  return { start, end, text: `\n${emitIndented(schema, column + 2)}` };
}

/** Writes a schema at an indent, on which the folding of long lines depends. */
function emitIndented(schema: Schema, indent: number): string {
  const levels = Math.floor(indent / 2);
  const nested = Array.from({ length: levels }).reduce<object>((inner) => ({ x: inner }), schema);
  const rest = " ".repeat(indent % 2);
  const lines = emitYaml(nested as YamlValue)
    .trimEnd()
    .split("\n")
    .slice(levels);
  return lines.map((line) => (line === "" ? "" : rest + line)).join("\n");
}

/** Returns the end of a value without the white space behind it, which the range of a block includes. */
function trimmedEnd(text: string, end: number): number {
  return end - (/\s*$/u.exec(text.slice(0, end))?.[0].length ?? 0);
}
