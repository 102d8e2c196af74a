// Sends a record until Bellwire has it: dotnet run Send.cs acme demo_viewed 6f1c… < record.json
using System.Net.Http.Headers;

static async Task<string> Send(string account, string type, string key, string record, TimeSpan giveUpAfter)
{
    using var client = new HttpClient { Timeout = TimeSpan.FromSeconds(30) };
    var bearer = Environment.GetEnvironmentVariable("BELLWIRE_API_KEY");
    client.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", bearer);
    // The same key with each try: a record that arrived although its answer did not becomes no second event.
    client.DefaultRequestHeaders.Add("Idempotency-Key", key);
    var url = $"{Environment.GetEnvironmentVariable("BELLWIRE_URL")}/v1/accounts/{account}/events/{type}";
    var giveUp = DateTime.UtcNow + giveUpAfter;
    for (var pause = 0.25; ; pause = Math.Min(pause * 2, 30))
    {
        var wait = TimeSpan.FromSeconds(pause * (0.5 + Random.Shared.NextDouble() / 2));
        string text;
        try
        {
            var content = new StringContent(record, new MediaTypeHeaderValue("application/json"));
            using var answer = await client.PostAsync(url, content);
            text = await answer.Content.ReadAsStringAsync();
            var status = (int)answer.StatusCode;
            if (status < 300) return text;
            // Refused: it would be again. Correct the record.
            if (status < 500 && status != 408 && status != 429) throw new InvalidOperationException(text);
            var asked = answer.Headers.RetryAfter?.Delta ?? TimeSpan.Zero;
            if (asked > wait) wait = asked;
        }
        catch (Exception error) when (error is HttpRequestException or TaskCanceledException)
        {
            text = error.Message;
        }
        // Keep the record, and send it later with the same key.
        if (DateTime.UtcNow + wait > giveUp) throw new InvalidOperationException(text);
        await Task.Delay(wait);
    }
}

try
{
    var record = await Console.In.ReadToEndAsync();
    Console.WriteLine(await Send(args[0], args[1], args[2], record, TimeSpan.FromMinutes(1)));
}
catch (InvalidOperationException error)
{
    Console.Error.WriteLine(error.Message);
    Environment.Exit(1);
}
