import { patternError } from "@tsbuilder/apimachinery/schema";
import type { Schema } from "../../model/schema.ts";
import { type KeyValue, type MarkerFamily, numeric, text, keyMarker, validation } from "../definition.ts";
import { declarative, describeSchema } from "./numbers.ts";

const length: KeyValue<number> = { type: "int", read: numeric, refuse: checkTextual };

export const strings: MarkerFamily = {
  name: "strings",
  title: "Limits of strings",
  markers: [
    validation("MaxLength", "maxLength", length, "The maximum length in characters."),
    validation("MinLength", "minLength", length, "The minimum length in characters."),
    {
      ...validation(
        "Pattern",
        "pattern",
        { type: "string", read: text, refuse: checkTextual },
        "A regular expression (RE2) that must match part of the value; anchor it with ^ and $.",
      ),
      check(args) {
        const problem = patternError(text(args));
        return problem && `the API server cannot parse the pattern: ${problem}`;
      },
    },
    { ...keyMarker("k8s:maxLength", "maxLength", length, "An alias of MaxLength."), ...declarative },
    { ...keyMarker("k8s:minLength", "minLength", length, "An alias of MinLength."), ...declarative },
    validation(
      "Format",
      "format",
      { type: "string", read: text },
      "A format, for example date-time, email, ipv4, uuid or int32.",
    ),
  ],
};

function checkTextual(schema: Schema): string | undefined {
  if (schema.type === "string" || schema["x-kubernetes-int-or-string"]) return undefined;
  return `it applies to strings, but this is ${describeSchema(schema)}`;
}
