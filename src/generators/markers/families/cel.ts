import { fieldAndType, type MarkerFamily, text } from "../definition.ts";

const reasons = ["FieldValueRequired", "FieldValueInvalid", "FieldValueForbidden", "FieldValueDuplicate"];

/** CEL validation rules. */
export const cel: MarkerFamily = {
  name: "cel",
  title: "CEL validation rules",
  markers: [
    {
      name: "kubebuilder:validation:XValidation",
      targets: fieldAndType,
      forItems: true,
      repeatable: true,
      summary: "A CEL expression that must be true. May be repeated.",
      arguments: {
        rule: {
          type: "string",
          summary: "the expression; self is the value, oldSelf the value before an update",
        },
        message: { type: "string", optional: true, summary: "error message if the expression is false" },
        messageExpression: {
          type: "string",
          optional: true,
          summary: "CEL expression that returns the error message",
        },
        reason: { type: "string", optional: true, summary: reasons.join(", ") },
        fieldPath: {
          type: "string",
          optional: true,
          summary: "path of the child field that the error refers to",
        },
        optionalOldSelf: {
          type: "bool",
          optional: true,
          summary: "evaluate on create, too, with oldSelf as an optional",
        },
      },
      check(args) {
        const reason = text(args, "reason");
        if (reason === "" || reasons.includes(reason)) return undefined;
        return `"${reason}" is not a valid reason; use one of ${reasons.join(", ")}`;
      },
      apply(schema, args) {
        schema["x-kubernetes-validations"] = [
          ...(schema["x-kubernetes-validations"] ?? []),
          {
            rule: text(args, "rule"),
            message: text(args, "message") || undefined,
            messageExpression: text(args, "messageExpression") || undefined,
            reason: text(args, "reason") || undefined,
            fieldPath: text(args, "fieldPath") || undefined,
            optionalOldSelf: args["optionalOldSelf"] as boolean | undefined,
          },
        ];
        return undefined;
      },
    },
  ],
};
