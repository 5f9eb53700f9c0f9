// A server of SMTP for tests, which keeps what it receives.
import { once } from 'node:events';
import net from 'node:net';
import tls from 'node:tls';

/** Answers the lines of one connection. */
class Conversation {
  constructor(server, socket) {
    Object.assign(this, { server, data: null, rest: '', user: null });
    this.take(socket);
    this.say('220 test');
  }

  take(socket) {
    this.socket = socket;
    socket.on('error', () => {}).setEncoding('utf8').on('data', (text) => {
      this.rest += text;
      for (let end; (end = this.rest.indexOf('\r\n')) >= 0;) {
        const line = this.rest.slice(0, end);
        this.rest = this.rest.slice(end + 2);
        this.server.lines.push(line);
        this.hear(line);
      }
    });
  }

  say(...lines) {
    this.socket.write(lines.map((line) => `${line}\r\n`).join(''));
  }

  hear(line) {
    const { certificate, password } = this.server, encrypted = this.socket.encrypted === true;
    if (this.data !== null && line !== '.') this.data += `${line}\r\n`;
    else if (this.data !== null) this.keep();
    else if (/^EHLO/i.test(line)) this.say(...(certificate && !encrypted ? ['250-STARTTLS'] : []), ...(password ? ['250-AUTH PLAIN'] : []), '250 8BITMIME');
    else if (/^STARTTLS/i.test(line)) this.say('220 go on'), this.encrypt();
    else if (/^AUTH PLAIN$/i.test(line)) this.say('334 ');
    else if (password && this.user === null && !/^(QUIT|MAIL|RCPT|DATA)/i.test(line)) this.logIn(line.split(' ').at(-1));
    else if (password && this.user === null && !/^QUIT/i.test(line)) this.say('530 log in first');
    else if (/^DATA/i.test(line)) (this.data = ''), this.say('354 go on');
    else if (/^QUIT/i.test(line)) this.socket.end('221 bye\r\n');
    else this.say('250 ok');
  }

  logIn(response) {
    const [, user, password] = Buffer.from(response, 'base64').toString().split('\0');
    if (password !== this.server.password) return this.say('535 wrong');
    this.user = user;
    return this.say('235 ok');
  }

  keep() {
    this.server.messages.push({ text: this.data, user: this.user, encrypted: this.socket.encrypted === true });
    this.data = null;
    this.say('250 ok');
  }

  encrypt() {
    this.socket.removeAllListeners('data');
    this.take(new tls.TLSSocket(this.socket, { isServer: true, ...this.server.certificate }));
  }
}

/** Starts a server on a free port. `certificate` {cert, key}: it offers STARTTLS, or speaks TLS from the start if
 * `implicit`. `password`: of any user; without one nobody logs in. Returns {port, messages: [{text, user, encrypted}],
 * lines: all that it was told, close()}. */
export async function startMailServer({ certificate, implicit = false, password } = {}) {
  const state = { certificate, password, messages: [], lines: [] }, sockets = new Set();
  const converse = (socket) => sockets.add(socket) && new Conversation(state, socket);
  const server = (implicit ? tls.createServer(certificate, converse) : net.createServer(converse)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => (sockets.forEach((socket) => socket.destroy()), server.close());
  return { port: server.address().port, messages: state.messages, lines: state.lines, close };
}
