import { duplicate } from "@tsbuilder/apimachinery/errors";
import { isEqual } from "@tsbuilder/apimachinery/json";
import type { Overhead, Scheduling } from "@tsbuilder/apimachinery/k8s/node/v1";
import { checkLabel } from "@tsbuilder/apimachinery/naming";
import type { ApiObject, Sent } from "../../contract/api-object.ts";
import type { BuiltInKind } from "../built-in-kind.ts";
import { text } from "../cells.ts";
import { labelProblems } from "../checks/names.ts";
import { declaredImmutable, needed, type Problems } from "../checks/problems.ts";
import { containerResourceProblems } from "../core/resources.ts";
import { tolerationProblems } from "../core/pod-spec/scheduling.ts";

type RuntimeClass = ApiObject & {
  handler?: string;
  overhead?: Sent<Overhead>;
  scheduling?: Sent<Scheduling>;
};

export const runtimeClass: BuiltInKind = {
  resource: "runtimeclasses.node.k8s.io",
  metadataChecks: { update: ["new", "update"], qualifiedFinalizers: false },
  strategy: {
    validate: (object) => [...runtimeClassProblems(object)],
    validateUpdate: (object: RuntimeClass, old: RuntimeClass) => [
      ...runtimeClassProblems(object),
      ...declaredImmutable("handler", object.handler ?? "", old.handler ?? ""),
    ],
  },
  cells: { Handler: text("handler") },
};

function* runtimeClassProblems({ handler, overhead, scheduling }: RuntimeClass): Problems {
  yield* needed("handler", handler, checkLabel);
  if (overhead?.podFixed) yield* containerResourceProblems("overhead", { limits: overhead.podFixed });
  if (scheduling) yield* schedulingProblems("scheduling", scheduling);
}

function* schedulingProblems(
  field: string,
  { nodeSelector, tolerations: list = [] }: Sent<Scheduling>,
): Problems {
  yield* labelProblems(`${field}.nodeSelector`, nodeSelector);
  yield* tolerationProblems(`${field}.tolerations`, list);
  // The message prints the server's internal struct; tolerationSeconds doesn't count when tolerations are compared.
  const keys = list.map(({ key = "", operator = "", value = "", effect = "" }) => ({
    Key: key,
    Operator: operator,
    Value: value,
    Effect: effect,
  }));
  for (const [index, key] of keys.entries()) {
    if (!keys.slice(0, index).some((other) => isEqual(other, key))) continue;
    yield duplicate(`${field}.tolerations[${index}]`, {
      ...key,
      TolerationSeconds: list[index]!.tolerationSeconds ?? null,
    });
  }
}
