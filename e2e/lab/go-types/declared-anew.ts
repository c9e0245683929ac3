import type { GoPackage, GoType } from "../../../src/importer/go/model.ts";

/** The names of fields that a struct and one that it embeds both have: in TypeScript one replaces the other. */
export function declaredAnew(packages: readonly GoPackage[]): string[] {
  const fieldsOf = (type: GoType): string[] => {
    if (type.kind === "struct") {
      return type.fields.flatMap(({ isInline, name, type: of }) => (isInline ? fieldsOf(of) : [name]));
    }
    if (type.kind !== "ref") return [];
    const found = packages.find(({ path }) => path === type.package);
    const declaration = found?.types.find(({ name }) => name === type.name);
    return declaration ? fieldsOf(declaration.type) : [];
  };
  const structs = packages.flatMap(({ types }) => types);
  const twice = structs.flatMap(({ type }) => {
    const names = fieldsOf(type);
    return names.filter((name, i) => type.kind === "struct" && names.indexOf(name) !== i);
  });
  return [...new Set(twice)];
}
