import type { FlowSchemaCondition } from "@tsbuilder/apimachinery/k8s/flowcontrol/v1";
import type { Strategy } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { count, readField, text } from "../../cells/read-field.ts";
import { fillIn } from "../../fill-in.ts";
import { conditionProblems } from "../condition-problems.ts";
import { resetFlowControl } from "../reset-status.ts";
import { fixedSchema } from "../fixed-specs.ts";
import { schemaProblems } from "./rules.ts";

const flowSchemaStrategy: Partial<Strategy> = {
  resetFields: resetFlowControl,
  default(object) {
    fillIn(object["spec"], () => ({ matchingPrecedence: 1000 }));
    object["status"] ??= {};
  },
  validate: (object) => [...schemaProblems(object), ...fixedSchema(object), ...conditionProblems(object)],
  validateUpdate: (object, _old, { subresource }) => [
    ...(subresource === "" ? [...schemaProblems(object), ...fixedSchema(object)] : []),
    ...conditionProblems(object),
  ],
};

export const flowSchema: BuiltInKind = {
  resource: "flowschemas.flowcontrol.apiserver.k8s.io",
  metadataChecks: "new/new/none",
  strategy: flowSchemaStrategy,
  cells: {
    PriorityLevel: text("spec.priorityLevelConfiguration.name"),
    MatchingPrecedence: count("spec.matchingPrecedence"),
    DistinguisherMethod: text("spec.distinguisherMethod.type", "<none>"),
    MissingPL: (object) => {
      const conditions = readField<FlowSchemaCondition[]>(object, "status.conditions") ?? [];
      return conditions.find(({ type }) => type === "Dangling")?.status ?? "?";
    },
  },
  emptyObject: { spec: { priorityLevelConfiguration: {} }, status: {} },
  zeroValues: { spec: { matchingPrecedence: 0, priorityLevelConfiguration: { name: "" } } },
};
