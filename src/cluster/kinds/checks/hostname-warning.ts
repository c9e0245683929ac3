import { checkLabel } from "@tsbuilder/apimachinery/naming";
import type { ApiObject } from "../../contract/api-object.ts";

/** A name with dots is valid, but not recommended where it becomes a hostname. */
export function* hostnameWarning({ metadata }: ApiObject, use: string): Generator<string, void> {
  const reasons = checkLabel(metadata.name ?? "");
  if (reasons.length === 0) return;
  yield `metadata.name: this is used in ${use}, which can result in surprising behavior; a DNS label is recommended: [${reasons.join(" ")}]`;
}
