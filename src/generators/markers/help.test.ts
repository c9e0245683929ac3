import { describe, expect, it } from "vitest";
import { formatMarkerHelp, markerHelp } from "./help.ts";

describe("markerHelp()", () => {
  it("finds markers by part of their name", () => {
    expect(markerHelp("Minimum").map(({ name }) => name)).toEqual([
      "kubebuilder:validation:Minimum",
      "kubebuilder:validation:ExclusiveMinimum",
      "k8s:minimum",
    ]);
  });

  it("is plain data", () => {
    expect(JSON.parse(JSON.stringify(markerHelp("scale")))).toEqual([
      {
        family: "Kinds and their versions",
        name: "kubebuilder:subresource:scale",
        targets: "a type",
        summary: "Enables the scale subresource, for kubectl scale and autoscalers.",
        forItems: false,
        arguments: [
          {
            name: "specpath",
            type: "string",
            optional: false,
            summary: "JSONPath of the desired replicas: .spec.replicas",
          },
          {
            name: "statuspath",
            type: "string",
            optional: false,
            summary: "JSONPath of the actual replicas",
          },
          {
            name: "selectorpath",
            type: "string",
            optional: true,
            summary: "JSONPath of a label selector in string form, for autoscalers",
          },
        ],
      },
    ]);
  });
});

describe("formatMarkerHelp()", () => {
  it("shows arguments if few markers match", () => {
    expect(formatMarkerHelp(markerHelp("validation:MaxLength"))).toBe(`Limits of strings
  +kubebuilder:validation:MaxLength=<int>  The maximum length in characters.
    on a field or a type; with items: for the elements of a list
`);
  });

  it("lists each marker on a line", () => {
    const text = formatMarkerHelp(markerHelp());
    expect(text.split("\n").filter((line) => line.startsWith("  +"))).toHaveLength(markerHelp().length);
  });
});
