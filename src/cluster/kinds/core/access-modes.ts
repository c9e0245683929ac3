import { readField } from "../cells/read-field.ts";

/** The abbreviations of access modes in tables. */
const modes: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

export function accessModes(object: object, part: string): string {
  const list = readField<string[]>(object, `${part}.accessModes`) ?? [];
  return Object.keys(modes)
    .filter((mode) => list.includes(mode))
    .map((mode) => modes[mode])
    .join(",");
}
