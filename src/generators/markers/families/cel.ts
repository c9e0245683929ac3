import { addRule } from "../../model/schema.ts";
import { fieldAndType, type MarkerFamily, optional, text } from "../definition.ts";

const reasons = ["FieldValueRequired", "FieldValueInvalid", "FieldValueForbidden", "FieldValueDuplicate"];

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
        message: optional("string", "error message if the expression is false"),
        messageExpression: optional("string", "CEL expression that returns the error message"),
        reason: optional("string", reasons.join(", ")),
        fieldPath: optional("string", "path of the child field that the error refers to"),
        optionalOldSelf: optional("bool", "evaluate on create, too, with oldSelf as an optional"),
      },
      check(args) {
        const reason = text(args, "reason");
        if (reason === "" || reasons.includes(reason)) return undefined;
        return `"${reason}" is not a valid reason; use one of ${reasons.join(", ")}`;
      },
      apply(schema, args) {
        addRule(schema, {
          rule: text(args, "rule"),
          message: text(args, "message") || undefined,
          messageExpression: text(args, "messageExpression") || undefined,
          reason: text(args, "reason") || undefined,
          fieldPath: text(args, "fieldPath") || undefined,
          optionalOldSelf: args["optionalOldSelf"] as boolean | undefined,
        });
        return undefined;
      },
    },
  ],
};
