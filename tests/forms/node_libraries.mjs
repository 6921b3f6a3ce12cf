// What libraries for Node themselves write, load and send: node node_libraries.mjs FOLDER LIBRARY DOES < JSON
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { readFileSync } from "node:fs";

const [folder, library, does] = process.argv.slice(2);
const given = JSON.parse(readFileSync(0, "utf8"));
const require = createRequire(folder + "/package.json");
const named = (name) => import(pathToFileURL(require.resolve(name)).href);
const GO_ON = { role: "user", content: "go on with it" };

async function sent(messages) {
  const { generateText } = await named("ai");
  const { MockLanguageModelV3 } = await named("ai/test");
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const answer = { content: [{ type: "text", text: "done" }], finishReason: { unified: "stop" }, usage, warnings: [] };
  const model = new MockLanguageModelV3({ doGenerate: async () => answer });
  await generateText({ model, messages: [...messages, GO_ON] });
  return model.doGenerateCalls[0].prompt;
}

async function list(messages, source) {
  const { MessageList } = await named("@mastra/core/agent");
  return new MessageList({ threadId: "t1", resourceId: "r1" }).add(messages, source);
}

const LIBRARIES = {
  "ai-sdk-model": {
    load: async (messages) => (await named("ai")).modelMessageSchema.array().parse(messages),
    send: sent,
  },
  "ai-sdk-ui": {
    load: async (messages) => (await named("ai")).validateUIMessages({ messages }),
    send: async (messages) => sent(await (await named("ai")).convertToModelMessages(messages)),
  },
  mastra: {
    write: async (messages) => (await list(messages, "response")).get.all.db(),
    load: async (messages) => (await list(messages, "memory")).get.all.db(),
    send: async (messages) => (await list(messages, "memory")).add(GO_ON, "input").get.all.aiV5.llmPrompt(),
  },
};
const known = LIBRARIES[library];
process.stdout.write(JSON.stringify(await (known[does] ?? known.load)(given)));
