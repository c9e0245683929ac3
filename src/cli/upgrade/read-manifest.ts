export const sections = ["dependencies", "devDependencies"] as const;

/** What a `package.json` says of a project's packages. */
export type Manifest = Readonly<Partial<Record<(typeof sections)[number], Readonly<Record<string, string>>>>>;

/** Undefined for what is not JSON: that is reported by whoever needs it. */
export function readManifest(text: string): Manifest | undefined {
  try {
    return JSON.parse(text) as Manifest;
  } catch {
    return undefined;
  }
}
