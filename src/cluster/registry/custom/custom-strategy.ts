import { isEqual } from "@tsbuilder/apimachinery/patch";
import { compileValidator } from "@tsbuilder/apimachinery/cel";
import type { CompiledSchema } from "@tsbuilder/apimachinery/schema";
import { type ApiObject, replaceFields } from "../../storage/api-object.ts";
import { defaultStrategy, resetNothing, resetStatus } from "../built-in/default-strategy.ts";
import { objectMetaNode } from "../object-meta-schema.ts";
import type { Strategy } from "../resource.ts";
import type { CustomResourceDefinition } from "./custom-resource-definition.ts";

/** How custom resources are written: everything follows from the schema of the version. */
export function customStrategy(
  crd: CustomResourceDefinition,
  schemas: ReadonlyMap<string, CompiledSchema>,
): Strategy {
  const hasStatus = crd.spec.versions.some(({ subresources }) => subresources?.status !== undefined);
  const schemaFor = ({ version }: { version: string }) => schemas.get(version)!;
  const statusSchemas = new Map(
    crd.spec.versions.flatMap(({ name, schema }) => {
      const status = schema?.openAPIV3Schema?.properties?.["status"];
      return status ? [[name, compileValidator(status, { isResource: false })] as const] : [];
    }),
  );
  return {
    ...defaultStrategy,
    unconditionalUpdate: false,
    generation: true,
    specChanged: (object, old) => !isEqual(content(object, hasStatus), content(old, hasStatus)),
    resetFields: hasStatus ? resetStatus : resetNothing,
    default(object, context) {
      const schema = schemaFor(context);
      dropUnknownMetadata(object);
      replaceFields(object, schema.applyDefaults(schema.prune(object).object));
    },
    validate: (object, context) => schemaFor(context).validate(object),
    validateUpdate(object, old, context) {
      if (context.subresource !== "status") return schemaFor(context).validate(object, { old });
      const status = statusSchemas.get(context.version);
      return status?.validate(object["status"], { old: old["status"], path: "status" }) ?? [];
    },
  };
}

/** Everything outside metadata counts as content; status only where it has no endpoint of its own. */
function content(object: ApiObject, hasStatus: boolean): object {
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...rest } = object;
  if (hasStatus) delete rest["status"];
  return rest;
}

function dropUnknownMetadata({ metadata }: ApiObject): void {
  for (const [field, value] of Object.entries(metadata)) {
    if (!(field in objectMetaNode.properties!) || value === null) Reflect.deleteProperty(metadata, field);
  }
}
