// Shows openapi.json: operations with parameters, bodies, responses and a curl line; then the schemas. Text nodes only.
"use strict";

const METHODS = ["get", "post", "put", "delete"];

function element(name, text, children = []) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  children.forEach((child) => made.append(child));
  return made;
}

function typeOf(schema) {
  if (!schema) return "";
  if (schema.$ref) return schema.$ref.split("/").pop();
  if (schema.oneOf) return schema.oneOf.map(typeOf).join(" or ");
  if (schema.enum) return schema.enum.join(" | ");
  if (schema.type === "array") return `list of ${typeOf(schema.items)}`;
  return [].concat(schema.type || "any").join(" or ");
}

function table(headings, rows) {
  const head = element("tr", undefined, headings.map((heading) => element("th", heading)));
  const body = rows.map((row) => element("tr", undefined, row.map((cell) => element("td", cell))));
  return element("table", undefined, [head, ...body]);
}

function schemaOf(content) {
  const first = Object.entries(content || {})[0];
  return first ? `${typeOf(first[1].schema)} (${first[0]})` : "";
}

function curlLine(path, method, operation) {
  const asked = (operation.parameters || []).filter((one) => one.in === "query" && one.required);
  const query = asked.map((one) => `${one.name}=…`).join("&");
  const address = `${location.origin}${path}${query ? `?${query}` : ""}`;
  const parts = ["curl"];
  if (method !== "get") parts.push(`-X ${method.toUpperCase()}`);
  if (operation.requestBody) parts.push("-H 'Content-Type: application/json' -d '{…}'");
  return `${parts.join(" ")} '${address}'`;
}

function showOperation(path, method, operation) {
  const shown = element("details");
  const title = element("summary", undefined, [element("span", method.toUpperCase()), element("code", path)]);
  title.firstChild.className = "method";
  title.append(` ${operation.summary || ""}`);
  shown.append(title);
  if (operation.description) shown.append(element("p", operation.description));
  const parameters = (operation.parameters || []).map((one) => [
    one.name, one.in, typeOf(one.schema), one.required ? "yes" : "", one.description || "",
  ]);
  if (parameters.length) shown.append(table(["parameter", "in", "type", "needed", "meaning"], parameters));
  if (operation.requestBody) shown.append(element("p", `Body: ${schemaOf(operation.requestBody.content)}`));
  const answers = Object.entries(operation.responses).map(([status, answer]) => [
    status, schemaOf(answer.content), answer.description || "",
  ]);
  shown.append(table(["status", "answer", "meaning"], answers));
  shown.append(element("pre", curlLine(path, method, operation)));
  return shown;
}

function showSchema(name, schema) {
  const shown = element("details", undefined, [element("summary", name)]);
  shown.id = name;
  if (schema.description) shown.append(element("p", schema.description));
  const needed = new Set(schema.required || []);
  const rows = Object.entries(schema.properties || {}).map(([field, of]) => [
    field, typeOf(of), needed.has(field) ? "yes" : "", of.description || "",
  ]);
  shown.append(rows.length ? table(["field", "type", "always", "meaning"], rows) : element("p", typeOf(schema)));
  return shown;
}

function show(description) {
  const operations = document.getElementById("operations");
  operations.replaceChildren();
  const groups = new Map();
  for (const [path, methods] of Object.entries(description.paths)) {
    for (const method of METHODS.filter((one) => methods[one])) {
      const tag = (methods[method].tags || ["other"])[0];
      if (!groups.has(tag)) groups.set(tag, []);
      groups.get(tag).push(showOperation(path, method, methods[method]));
    }
  }
  for (const [tag, shown] of groups) operations.append(element("h2", tag), ...shown);
  const schemas = Object.entries(description.components.schemas).map(([name, schema]) => showSchema(name, schema));
  document.getElementById("schemas").replaceChildren(...schemas);
}

function find(text) {
  for (const shown of document.querySelectorAll("details")) {
    shown.hidden = !shown.textContent.toLowerCase().includes(text.toLowerCase());
  }
}

// The token stays in the input field and is sent to this server only.
async function load(token) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  const answer = await fetch("/api/v1/openapi.json", { headers });
  const told = await answer.json();
  document.getElementById("access").hidden = answer.status !== 401;
  if (answer.ok) show(told);
  else refuse(`${told.detail}; ${told.hint || "try again later"}`);
}

function refuse(why) {
  document.getElementById("operations").replaceChildren(element("p", why));
}

function ask(token) {
  load(token).catch(() => refuse("the server does not respond"));
}

ask("");
document.getElementById("access").addEventListener("submit", (event) => {
  event.preventDefault();
  ask(document.getElementById("token").value.trim());
});
document.getElementById("find").addEventListener("input", (event) => find(event.target.value));
