import { pluginKey, schemaVersion } from "./read-project.ts";
import { hasWebhooks, type Project, type Resource } from "./project.ts";

/** The content of the `PROJECT` file. A key with the value undefined is removed from the file. */
export function toRecord(project: Project): Record<string, unknown> {
  return {
    version: schemaVersion,
    cliVersion: project.cliVersion,
    domain: project.domain,
    projectName: project.projectName,
    layout: [pluginKey, ...project.plugins.filter(({ isInLayout }) => isInLayout).map(({ key }) => key)],
    multigroup: project.multigroup || undefined,
    namespaced: project.namespaced || undefined,
    license: project.license,
    owner: project.owner || undefined,
    namespaces: list(project.namespaces),
    features: [...project.features].sort(),
    resources: list(project.resources.map(resourceRecord)),
    // Other tools' settings stay there without one of ours.
    ...(project.plugins.length === 0 ? {} : { plugins: pluginRecords(project) }),
  };
}

function pluginRecords({ plugins }: Project): Record<string, unknown> {
  return Object.fromEntries(
    plugins.map(({ key, package: from, options, resources }) => [
      key,
      {
        package: from,
        executable: from === undefined || undefined,
        options: isEmpty(options) ? undefined : options,
        resources: list(
          resources.map(({ group, domain, version, kind, options: own }) => ({
            group: group || undefined,
            domain: domain || undefined,
            version,
            kind,
            options: isEmpty(own) ? undefined : own,
          })),
        ),
      },
    ]),
  );
}

const isEmpty = (options: object): boolean => Object.values(options).every((value) => value === undefined);

function resourceRecord(resource: Resource): Record<string, unknown> {
  const { origin, template, controllers, webhooks } = resource;
  return {
    group: resource.group || undefined,
    domain: resource.domain || undefined,
    version: resource.version,
    kind: resource.kind,
    plural: resource.plural,
    singular: resource.singular,
    shortNames: list(resource.shortNames),
    categories: list(resource.categories),
    api: origin.type === "own" ? { crdVersion: "v1", namespaced: resource.namespaced } : undefined,
    template: template && { name: template.name, ...template.options },
    core: origin.type === "core" || undefined,
    external: origin.type === "external" || undefined,
    path: origin.type === "external" ? origin.module : undefined,
    controllers: list(controllers.map(({ name }) => ({ name }))),
    webhooks: hasWebhooks(resource)
      ? {
          webhookVersion: "v1",
          defaulting: webhooks.defaulting || undefined,
          validation: webhooks.validation || undefined,
          conversion: webhooks.spokes !== undefined || undefined,
          spoke: list(webhooks.spokes ?? []),
          defaultingPath: webhooks.defaultingPath,
          validationPath: webhooks.validationPath,
        }
      : undefined,
  };
}

function list<T>(items: readonly T[]): readonly T[] | undefined {
  return items.length === 0 ? undefined : items;
}
