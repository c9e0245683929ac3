import { expect, test } from "vitest";
import { deployImageWords } from "./reference-templates.ts";

test("deployImageWords() keeps a command inside of its comment", () => {
  const { commandMarkers } = deployImageWords({ image: "busybox", containerCommand: "echo,*/ x" });
  expect(commandMarkers).toBe('   * +kubebuilder:default={"echo","*\\u002f x"}\n   * +listType=atomic');
});
