import { isEqual } from "@tsbuilder/apimachinery/patch";
import type { CompiledSchema } from "@tsbuilder/apimachinery/schema";
import { type ApiObject, replaceFields } from "../../storage/api-object.ts";
import { defaultStrategy, resetNothing, resetStatus } from "../built-in/default-strategy.ts";
import type { Strategy } from "../resource.ts";
import type { CustomResourceDefinition } from "./custom-resource-definition.ts";

/** How custom resources are written: everything follows from the schema of the version. */
export function customStrategy(
  crd: CustomResourceDefinition,
  schemas: ReadonlyMap<string, CompiledSchema>,
): Strategy {
  const hasStatus = crd.spec.versions.some(({ subresources }) => subresources?.status !== undefined);
  const schemaFor = ({ version }: { version: string }) => schemas.get(version)!;
  return {
    ...defaultStrategy,
    unconditionalUpdate: false,
    generation: true,
    specChanged: (object, old) => !isEqual(content(object, hasStatus), content(old, hasStatus)),
    resetFields: hasStatus ? resetStatus : resetNothing,
    default(object, context) {
      const schema = schemaFor(context);
      replaceFields(object, schema.applyDefaults(schema.prune(object).object));
    },
    validate: (object, context) => schemaFor(context).validate(object),
    validateUpdate: (object, old, context) => schemaFor(context).validate(object, { old }),
  };
}

/** Everything outside metadata counts as content; status only where it has no endpoint of its own. */
function content(object: ApiObject, hasStatus: boolean): object {
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...rest } = object;
  if (hasStatus) delete rest["status"];
  return rest;
}
