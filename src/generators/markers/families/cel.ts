import { fieldAndType, type MarkerFamily, text } from "../definition.ts";

const reasons = ["FieldValueRequired", "FieldValueInvalid", "FieldValueForbidden", "FieldValueDuplicate"];

/** Rules in CEL. */
export const cel: MarkerFamily = {
  name: "cel",
  title: "Rules in CEL",
  markers: [
    {
      name: "kubebuilder:validation:XValidation",
      targets: fieldAndType,
      forItems: true,
      summary: "A CEL rule that must be true. It can be given several times.",
      arguments: {
        rule: {
          type: "string",
          summary: "the expression; self is the value, oldSelf the one before an update",
        },
        message: { type: "string", optional: true, summary: "what a user is told when the rule is false" },
        messageExpression: { type: "string", optional: true, summary: "CEL that yields the message" },
        reason: { type: "string", optional: true, summary: reasons.join(", ") },
        fieldPath: { type: "string", optional: true, summary: "the child that the error points at" },
        optionalOldSelf: {
          type: "bool",
          optional: true,
          summary: "run also on create, with oldSelf as an optional",
        },
      },
      check(args) {
        const reason = text(args, "reason");
        if (reason === "" || reasons.includes(reason)) return undefined;
        return `"${reason}" is no reason; it is one of ${reasons.join(", ")}`;
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
