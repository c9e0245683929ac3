import { type FieldError, required } from "../../errors/index.ts";
import { itemsOf, type JSONSchema } from "../json-schema.ts";

/** Checks that every field in `allOf`, `anyOf`, `oneOf` or `not` is also specified outside of them. */
export function checkCompleteness(schema: JSONSchema, path: string, errors: FieldError[]): void {
  checkBranches(schema, schema, path, path, errors);
}

function checkBranches(
  restricting: JSONSchema,
  describing: JSONSchema,
  path: string,
  branchPath: string,
  errors: FieldError[],
): void {
  if (restricting.not) checkBranch(restricting.not, describing, path, `${branchPath}.not`, errors);
  for (const name of ["allOf", "anyOf", "oneOf"] as const) {
    restricting[name]?.forEach((branch, index) => {
      checkBranch(branch, describing, path, `${branchPath}.${name}[${index}]`, errors);
    });
  }
}

function checkBranch(
  branch: JSONSchema,
  describing: JSONSchema | undefined,
  path: string,
  branchPath: string,
  errors: FieldError[],
): void {
  if (!describing) {
    errors.push(required(path, `because it is defined in ${branchPath}`));
    return;
  }
  checkBranches(branch, describing, path, branchPath, errors);
  const items = itemsOf(branch);
  if (items) checkBranch(items, itemsOf(describing), `${path}.items`, `${branchPath}.items`, errors);
  for (const [name, child] of Object.entries(branch.properties ?? {})) {
    const step = `.properties[${name}]`;
    const described = Object.hasOwn(describing.properties ?? {}, name)
      ? describing.properties![name]
      : undefined;
    checkBranch(child, described, path + step, branchPath + step, errors);
  }
}
