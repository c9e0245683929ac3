import { readField } from "../cells/read-field.ts";

/** Who said it, and where; the two groups call it by different names. */

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
