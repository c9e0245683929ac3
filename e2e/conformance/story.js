export function story(name, steps, crds = []) {
    return { name, steps, crds };
}
export const get = (path, accept) => ({
    method: "GET",
    path,
    ...(accept && { accept }),
});
export const post = (path, body, more = {}) => ({
    method: "POST",
    path,
    body,
    ...more,
});
export const put = (path, body, more = {}) => ({
    method: "PUT",
    path,
    body,
    ...more,
});
export const remove = (path, body) => ({
    method: "DELETE",
    path,
    ...(body !== undefined && { body }),
});
const patch = (type) => (path, body, more = {}) => ({
    method: "PATCH",
    path,
    body,
    type,
    ...more,
});
export const merge = patch("application/merge-patch+json");
export const jsonPatch = patch("application/json-patch+json");
export const strategic = patch("application/strategic-merge-patch+json");
export const apply = patch("application/apply-patch+yaml");
