import { isValidReference } from "../../ship/image-reference.ts";
import { csvAnnotations } from "../bundle-format.ts";
import { type Bundle, containersOf, deploymentsOf } from "./bundle.ts";
import { show } from "./check-csv.ts";
import { finding, type Findings } from "./finding.ts";

/** The images of the operator, and those that it uses. */
export function* checkImages(
  bundle: Bundle,
  { requireDigests }: { readonly requireDigests: boolean },
): Findings {
  const containers = deploymentsOf(bundle)
    .flatMap(containersOf)
    .map((container) => container.get("image"));
  const related = bundle.csv.get("spec", "relatedImages").items;
  for (const image of containers) {
    if (isValidReference(image.text ?? "")) continue;
    yield finding(
      "container-image",
      image,
      `the image ${show(image)} is not a valid reference`,
      "use registry/repository:tag or @sha256:…",
    );
  }
  const byName = new Map<string, string>();
  for (const one of related) {
    const [name, image] = [one.get("name").text ?? "", one.get("image")];
    if (!isValidReference(image.text ?? "")) {
      yield finding(
        "related-image",
        image,
        `the related image ${show(image)} is not a valid reference`,
        "use registry/repository@sha256:…",
      );
    } else if (name !== "" && (byName.get(name) ?? image.text) !== image.text) {
      const message = `the name "${name}" stands for another image, too: ${byName.get(name)}`;
      yield finding("related-image", one.get("name"), message, "give each image a name of its own");
    }
    byName.set(name, image.text ?? "");
  }
  const listed = new Set(related.map((one) => one.get("image").text));
  for (const image of related.length > 0 ? containers : []) {
    if (image.text === undefined || listed.has(image.text)) continue;
    const message = `the image ${image.text} is not among spec.relatedImages, so mirrors don't copy it`;
    yield finding("related-image-missing", image, message, "add it to spec.relatedImages");
  }
  if (!requireDigests) return;
  const annotated = bundle.csv.get("metadata", "annotations", csvAnnotations.containerImage);
  const all = [
    ...containers,
    ...related.map((one) => one.get("image")),
    ...(annotated.isMissing ? [] : [annotated]),
  ];
  for (const image of all) {
    if (/@sha256:[0-9a-f]{64}$/u.test(image.text ?? "")) continue;
    const message = `the image ${show(image)} has no digest, so it may change`;
    yield finding(
      "image-digest",
      image,
      message,
      "generate the bundle with tsbuilder bundle --use-image-digests",
    );
  }
}
