# Sends a record until Bellwire has it: ruby send.rb acme demo_viewed 6f1c… < record.json
require "net/http"

def send_record(account, type, key, record, give_up_s: 60)
  uri = URI("#{ENV.fetch("BELLWIRE_URL")}/v1/accounts/#{account}/events/#{type}")
  # The same key with each try: a record that arrived although its answer did not becomes no second event.
  headers = { "Authorization" => "Bearer #{ENV.fetch("BELLWIRE_API_KEY")}", "Content-Type" => "application/json",
              "Idempotency-Key" => key }
  give_up = Process.clock_gettime(Process::CLOCK_MONOTONIC) + give_up_s
  pause = 0.25
  loop do
    wait = pause * (0.5 + rand / 2)
    begin
      answer = Net::HTTP.post(uri, record, headers)
      status, text = answer.code.to_i, answer.body
      return text if status < 300
      abort text if status < 500 && status != 408 && status != 429 # Refused: it would be again. Correct the record.
      wait = [wait, answer["Retry-After"].to_i].max
    rescue SystemCallError, IOError, SocketError, Timeout::Error => error
      text = error.message
    end
    # Keep the record, and send it later with the same key.
    abort text if Process.clock_gettime(Process::CLOCK_MONOTONIC) + wait > give_up
    sleep wait
    pause = [pause * 2, 30].min
  end
end

puts send_record(*ARGV.first(3), $stdin.read)
