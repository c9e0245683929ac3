import { explainYAML, findDuplicateKeys, parseGoYAML } from "../../../src/cluster/codec/go-yaml.ts";

/** The answer of a reader to a text: a value and whether it has a key twice, or an error. */
export interface YamlAnswer {
  readonly value?: unknown;
  readonly duplicates?: boolean;
  readonly error?: string;
}

/** Reads a text as the embedded cluster does, in the form of Go's recorded answers. */
export function readAsGo(text: string): YamlAnswer {
  try {
    const value = parseGoYAML(text);
    return { value, ...(findDuplicateKeys(text).length > 0 && { duplicates: true }) };
  } catch (error) {
    return { error: explainYAML(error, text) };
  }
}
