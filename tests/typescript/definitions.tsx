import type { Message } from "./messages.js";
import fallback, { load as read, type Kind } from "../store";
import * as path from "node:path";
import "./effects";
import old = require("old");
const { join, resolve: absolute } = require("path");
const fs = require("fs");

export { read as load, path };
export { one, two as three } from "./numbers";
export * from "./all";
export * as tools from "./tools";
exports.named = one;
module.exports = two;

function plain(a: string, b = 1, ...rest: Message[]): Message[] | undefined {
  return rest;
}

const arrow = async ({ messages, limit = 3 }: { messages: readonly Message[]; limit?: number }, [at]: Pair) => messages.slice(-limit);
const named = function inner() {};

function* steps(): Generator<number> {
  yield 1;
  yield* more();
}

@traced("agent")
export default class Agent<T> extends Base<T> implements Runner, Hooks.Before {
  static #count = 0;
  private readonly turns: Array<Message> = [];
  state?: Map<string, Message[]>;

  constructor(private readonly model: Model, public name = "agent", limit: number) {
    super(model);
    this.limit = limit;
  }

  get last(): Message {
    return this.turns.at(-1)!;
  }

  set last(message: Message) {
    this.turns.push(message);
  }

  static create() {
    return new Agent(defaultModel());
  }

  @logged
  async run(input: string): Promise<Message[]> {
    await super.run(input);
    return this.#ask(input);
  }

  #ask = async (input: string) => {
    return this.model.ask({ input, history: this.turns });
  };
}

abstract class Shape {
  abstract area(scale: number): number;
}

interface State extends Common {
  messages: Message[];
  plan?: string | null;
  load(id: string): Promise<Message[]>;
}

type Options = Common & { messages: ReadonlyArray<Message>; pick: (m: Message) => boolean };
type Alias = Message[];

const view = <List items={xs.map((x) => <Row key={x.id} {...x}>{x.name}</Row>)}>text</List>;
