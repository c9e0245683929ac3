import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * Reads which feature gate each field belongs to, from the tags in the comments of `k8s.io/api`: by definition and field,
 * `io.k8s.api.apps.v1.RollingUpdateStatefulSetStrategy.maxUnavailable`.
 */
export function readFeatureGates(apiModule: string): Map<string, string> {
  const files = readdirSync(apiModule, { recursive: true, encoding: "utf8" });
  return new Map(
    files
      .filter((file) => /^\w+\/v\d+\/types\w*\.go$/u.test(file))
      .flatMap((file) => [...gatesIn(readFileSync(join(apiModule, file), "utf8"), packageOf(file))]),
  );
}

function packageOf(file: string): string {
  return `io.k8s.api.${file.split("/").slice(0, 2).join(".")}`;
}

function* gatesIn(text: string, prefix: string): Generator<[string, string]> {
  let type = "";
  let gate: string | undefined;
  for (const line of text.split("\n")) {
    type = /^type (\w+) struct/u.exec(line)?.[1] ?? type;
    gate = /^\s*\/\/ \+featureGate=([\w,]+)/u.exec(line)?.[1] ?? gate;
    const field = /json:"([^,"]+)/u.exec(line)?.[1];
    const isComment = /^\s*(?:\/\/|$)/u.test(line);
    if (isComment && field === undefined) continue;
    // Fields that are declared in a comment are gone.
    if (!isComment && field !== undefined && gate !== undefined) yield [`${prefix}.${type}.${field}`, gate];
    gate = undefined;
  }
}
