import { isObject } from "@tsbuilder/apimachinery/json";
import { parseJson } from "../../shared/read-json.ts";

export const sections = ["dependencies", "devDependencies"] as const;

/** What a `package.json` says of a project's packages. */
export type Manifest = Readonly<Partial<Record<(typeof sections)[number], Readonly<Record<string, string>>>>>;

/** Undefined for what npm would not take for one: that is reported by whoever needs it. */
export function readManifest(text: string): Manifest | undefined {
  const manifest = parseJson(text);
  const isWhole = isObject(manifest) && sections.every((section) => isOfTexts(manifest[section] ?? {}));
  return isWhole ? manifest : undefined;
}

const isOfTexts = (value: unknown): boolean =>
  isObject(value) && Object.values(value).every((one) => typeof one === "string");
