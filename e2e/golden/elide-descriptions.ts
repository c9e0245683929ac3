import { parse } from "yaml";
import { emitYaml, type YamlValue } from "@tsbuilder/apimachinery/yaml";

/**
 * Takes Kubernetes' own descriptions out of a definition: those texts are not ours to keep in the repository. Ours are
 * the ones that stand in the project's sources.
 */
export function elideDescriptions(definition: string, sources: readonly string[]): string {
  const own = sources.map(words).join("\n");
  const start = definition.slice(0, definition.indexOf("apiVersion:"));
  return start + emitYaml(strip(parse(definition) as YamlValue, own) as YamlValue);
}

function strip(value: unknown, own: string): unknown {
  if (Array.isArray(value)) return value.map((item) => strip(item, own));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(
    ([key, text]) => key !== "description" || typeof text !== "string" || own.includes(words(text)),
  );
  return Object.fromEntries(entries.map(([key, child]) => [key, strip(child, own)]));
}

/** The text without line breaks and the stars of comments. */
const words = (text: string): string => text.replaceAll(/[\s*]+/gu, " ").trim();
