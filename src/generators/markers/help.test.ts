import { describe, expect, it } from "vitest";
import { formatMarkerHelp, markerHelp } from "./help.ts";

describe("markerHelp()", () => {
  it("finds markers by a part of their name", () => {
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
        summary: "kubectl scale and the autoscaler can set the number of replicas.",
        forItems: false,
        arguments: [
          { name: "specpath", type: "string", optional: false, summary: "the field to set: .spec.replicas" },
          {
            name: "statuspath",
            type: "string",
            optional: false,
            summary: "the field that tells the number there is",
          },
          {
            name: "selectorpath",
            type: "string",
            optional: true,
            summary: "a selector in string form, for the autoscaler",
          },
        ],
      },
    ]);
  });
});

describe("formatMarkerHelp()", () => {
  it("shows arguments when few markers are asked for", () => {
    expect(formatMarkerHelp(markerHelp("validation:MaxLength"))).toBe(`Bounds of strings
  +kubebuilder:validation:MaxLength=<int>  The greatest number of characters.
    on a field or a type; with items: for the elements of a list
`);
  });

  it("lists all markers on a line each", () => {
    const text = formatMarkerHelp(markerHelp());
    expect(text.split("\n").filter((line) => line.startsWith("  +"))).toHaveLength(markerHelp().length);
  });
});
