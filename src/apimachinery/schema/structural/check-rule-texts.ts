import { type FieldError, invalid, notSupported, required } from "../../errors/index.ts";
import { parseFieldPath } from "../field-path.ts";
import type { JSONSchema, ValidationRule } from "../json-schema.ts";

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];
const lineBreak = /[\n\r]/;

/** Checks a node's rules except for their CEL expressions. */
export function checkRuleTexts(schema: JSONSchema, path: string): FieldError[] {
  return (schema["x-kubernetes-validations"] ?? []).flatMap((rule, index) =>
    checkRule(rule, schema, `${path}.x-kubernetes-validations[${index}]`),
  );
}

function checkRule(rule: ValidationRule, schema: JSONSchema, path: string): FieldError[] {
  const { messageExpression = "", reason, fieldPath = "" } = rule;
  const errors = checkMessage(rule, path);
  if (messageExpression !== "" && messageExpression.trim() === "") {
    const detail = "messageExpression must be non-empty if specified";
    errors.push(required(`${path}.messageExpression`, detail));
  }
  if (reason !== undefined && !reasons.includes(reason)) {
    errors.push(notSupported(`${path}.reason`, reason, reasons));
  }
  if (fieldPath === "") return errors;
  const at = `${path}.fieldPath`;
  if (fieldPath.trim() === "") errors.push(invalid(at, fieldPath, "must be non-empty if specified"));
  if (lineBreak.test(fieldPath)) errors.push(invalid(at, fieldPath, "must not contain line breaks"));
  if (typeof parseFieldPath(fieldPath, schema) === "string") {
    errors.push(invalid(at, fieldPath, "must be a valid path"));
  }
  return errors;
}

function checkMessage({ rule = "", message = "" }: ValidationRule, path: string): FieldError[] {
  const text = message.trim();
  if (rule.trim() === "") return [required(`${path}.rule`, "rule is not specified")];
  if (message !== "" && text === "")
    return [invalid(`${path}.message`, message, "must be non-empty if specified")];
  if (lineBreak.test(text)) return [invalid(`${path}.message`, message, "must not contain line breaks")];
  if (lineBreak.test(rule.trim()) && text === "") {
    return [required(`${path}.message`, "message must be specified if rule contains line breaks")];
  }
  return [];
}
