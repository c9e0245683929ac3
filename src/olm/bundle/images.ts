import type { Container, EnvVar } from "@tsbuilder/apimachinery/k8s/core/v1";
import type { ManifestObject } from "../../ship/manifest.ts";
import type { RelatedImage } from "./csv.ts";
import { type Deployment, isDeployment } from "./webhook-definitions.ts";

/** The names of variables that give the operator the images that it deploys. */
const variable = /^RELATED_IMAGE_(.+)$/u;

/** Returns the images of the operator's containers, and those that it deploys: each once, under a name of its own. */
export function findImages(objects: readonly ManifestObject[]): RelatedImage[] {
  const found = new Map<string, string>();
  const add = (name: string, image: string | undefined): void => {
    if (image === undefined || image === "" || [...found.values()].includes(image)) return;
    let free = name;
    for (let i = 2; found.has(free); i += 1) free = `${name}-${i}`;
    found.set(free, image);
  };
  for (const container of objects.filter(isDeployment).flatMap(containersOf)) {
    add(container.name, container.image);
    for (const { name, value } of container.env ?? []) {
      const [, image] = variable.exec(name) ?? [];
      if (image !== undefined) add(image.toLowerCase().replaceAll("_", "-"), value);
    }
  }
  return [...found].map(([name, image]) => ({ name, image }));
}

export function replaceImages(
  objects: readonly ManifestObject[],
  replacements: ReadonlyMap<string, string>,
): ManifestObject[] {
  const replaced = (image: string): string => replacements.get(image) ?? image;
  const inVariable = (each: EnvVar): EnvVar =>
    each.value !== undefined && variable.test(each.name) ? { ...each, value: replaced(each.value) } : each;
  const inContainer = (container: Container): Container => ({
    ...container,
    ...(container.image === undefined ? {} : { image: replaced(container.image) }),
    ...(container.env ? { env: container.env.map(inVariable) } : {}),
  });
  return objects.map((object) => (isDeployment(object) ? withContainers(object, inContainer) : object));
}

function containersOf({ spec }: Deployment): readonly Container[] {
  const { containers = [], initContainers = [] } = spec.template.spec ?? {};
  return [...containers, ...initContainers];
}

function withContainers(deployment: Deployment, change: (container: Container) => Container): Deployment {
  const { template } = deployment.spec;
  const { containers, initContainers, ...pod } = template.spec!;
  return {
    ...deployment,
    spec: {
      ...deployment.spec,
      template: {
        ...template,
        spec: {
          ...pod,
          containers: containers.map(change),
          ...(initContainers ? { initContainers: initContainers.map(change) } : {}),
        },
      },
    },
  };
}
